/**
 * The scripts of the copy of the room list. Each is atomic and touches the keys of one app, which
 * share a hash slot, so it works on a cluster, too. KEYS of all of them, in this order:
 *
 *   1 facts    hash: life, clock (last stamp), floor (stamps below it are too late), rooms (listed)
 *   2 ready    the life whose pass ended; has an end
 *   3 order    sorted set of members, see `list-place.ts`
 *   4 entries  hash: room id → text of the entry, see `list-entry-text.ts`
 *   5 stamps   sorted set: room id by the stamp of its copy; rooms that are not listed, too
 *
 * A server short of memory may drop one key and keep the others. So pages are answered only while
 * the three counts of listed rooms agree; otherwise everything is forgotten, and a pass begins anew.
 */
import { membersPerRoom } from './list-place.ts';
import { redisScript } from './redis-script.ts';

/**
 * ARGV: id of a life, should one begin. Answers life and stamp. What a former life left goes first:
 * its stamps are counted by another clock, and would keep the new copies out.
 */
export const stampScript = redisScript(`
if redis.call('HSETNX', KEYS[1], 'life', ARGV[1]) == 1 then
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
end
local at = redis.call('HINCRBY', KEYS[1], 'clock', 1)
return { redis.call('HGET', KEYS[1], 'life'), tostring(at) }
`);

const ready = `
local life = redis.call('HGET', KEYS[1], 'life')
if not life or redis.call('GET', KEYS[2]) ~= life then return { 'not_ready' } end
local rooms = redis.call('HLEN', KEYS[4])
local counted = tonumber(redis.call('HGET', KEYS[1], 'rooms') or '0')
if counted ~= rooms or redis.call('ZCARD', KEYS[3]) ~= rooms * ${membersPerRoom} then
  redis.call('UNLINK', unpack(KEYS))
  return { 'damaged' }
end
`;

/** ARGV: from, until, most rooms. Answers 'page' and the texts of the entries. */
export const pageScript = redisScript(`${ready}
local members = redis.call('ZRANGEBYLEX', KEYS[3], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
local page = { 'page' }
if #members == 0 then return page end
local ids = {}
for at, member in ipairs(members) do ids[at] = string.match(member, '^[^|]*|[^|]*|...(.*)$') end
for at, text in ipairs(redis.call('HMGET', KEYS[4], unpack(ids))) do
  if not text then
    redis.call('UNLINK', unpack(KEYS))
    return { 'damaged' }
  end
  page[at + 1] = text
end
return page
`);

/** Answers 'ready', 'not_ready' or 'damaged'. */
export const readyScript = redisScript(`${ready}
return { 'ready' }
`);

/** ARGV: life, stamp, then room id and text by turns; '' for a room that is not listed. */
export const putScript = redisScript(`
local at = tonumber(ARGV[2])
if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return { 'too_late' } end
if at < tonumber(redis.call('HGET', KEYS[1], 'floor') or '0') then return { 'too_late' } end
local function members(text)
  local region, mode, place = string.match(text, '^([^|]*)|([^|]*)|([^\\n]*)\\n')
  region, mode = '=' .. region .. '|', '=' .. mode .. '|'
  return { '||' .. place, region .. '|' .. place, '|' .. mode .. place, region .. mode .. place }
end
for n = 3, #ARGV, 2 do
  local id, text = ARGV[n], ARGV[n + 1]
  local known = redis.call('ZSCORE', KEYS[5], id)
  if not known or tonumber(known) < at then
    local former = redis.call('HGET', KEYS[4], id)
    if former then redis.call('ZREM', KEYS[3], unpack(members(former))) end
    if text ~= '' then
      for _, member in ipairs(members(text)) do redis.call('ZADD', KEYS[3], 0, member) end
      redis.call('HSET', KEYS[4], id, text)
      if not former then redis.call('HINCRBY', KEYS[1], 'rooms', 1) end
    elseif former then
      redis.call('HDEL', KEYS[4], id)
      redis.call('HINCRBY', KEYS[1], 'rooms', -1)
    end
    redis.call('ZADD', KEYS[5], at, id)
  end
end
return { 'stored' }
`);

/**
 * ARGV: life, stamp at which the pass began, most ids, ready for ms. Raises the floor first: from
 * then on nobody who read before the pass can write, and what only kept such writes out may go.
 */
export const endPassScript = redisScript(`
local began = tonumber(ARGV[2])
if redis.call('HGET', KEYS[1], 'life') ~= ARGV[1] then return { 'too_late' } end
if began > tonumber(redis.call('HGET', KEYS[1], 'floor') or '0') then
  redis.call('HSET', KEYS[1], 'floor', ARGV[2])
end
local left = { 'left_behind' }
local ids = redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do
  if redis.call('HEXISTS', KEYS[4], id) == 1 then
    left[#left + 1] = id
  else
    redis.call('ZREM', KEYS[5], id)
  end
end
if #ids > 0 then return left end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[4])
return { 'ready' }
`);

/** One key of its own. ARGV: holder, TTL ms. */
export const claimPassesScript = redisScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return { 'taken' } end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return { 'held' }
`);
