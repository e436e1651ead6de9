/**
 * The scripts of the boards. Each is atomic and touches the keys of one board, which share a hash
 * slot, so it works on a cluster, too. KEYS of all of them, in this order:
 *
 *   1 order        sorted set of members, see `board-place.ts`
 *   2 digits       hash: room id → the digits of its member
 *   3 rebuild      name of the rebuild that is on its way; has an end
 *   4 next order, 5 next digits   what that rebuild has made so far
 *
 * A server short of memory may drop one key and keep the other. A board whose two counts differ is
 * forgotten: it grows anew with the next gifts, or is rebuilt.
 */
import { boardPlacesMax } from '../../ports/room-gift-leaderboard.ts';
import { placeDigits } from './board-place.ts';
import { redisScript } from './redis-script.ts';

/** `from`: the first argument of rooms, which come as id and digits by turns. */
const raise = `
local function raise(order, digits, from, kept)
  if redis.call('ZCARD', order) ~= redis.call('HLEN', digits) then
    redis.call('UNLINK', order, digits)
  end
  for n = from, #ARGV, 2 do
    local id, now = ARGV[n], ARGV[n + 1]
    local former = redis.call('HGET', digits, id)
    if not former or now < former then
      if former then redis.call('ZREM', order, former .. id) end
      redis.call('ZADD', order, 0, now .. id)
      redis.call('HSET', digits, id, now)
    end
  end
  local over = redis.call('ZCARD', order) - ${boardPlacesMax}
  if over > 0 then
    for _, member in ipairs(redis.call('ZRANGE', order, -over, -1)) do
      redis.call('ZREM', order, member)
      redis.call('HDEL', digits, string.sub(member, ${placeDigits + 1}))
    end
  end
  if kept ~= '' then
    redis.call('PEXPIRE', order, kept)
    redis.call('PEXPIRE', digits, kept)
  end
end
`;

/** ARGV: kept for ms or '', silence of a rebuild in ms, then rooms. */
export const raiseScript = redisScript(`${raise}
raise(KEYS[1], KEYS[2], 3, ARGV[1])
if redis.call('EXISTS', KEYS[3]) == 1 then raise(KEYS[4], KEYS[5], 3, ARGV[2]) end
return { 'stored' }
`);

/** ARGV: name of the rebuild, its silence in ms. */
export const beginRebuildScript = redisScript(`
redis.call('UNLINK', KEYS[4], KEYS[5])
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
return { 'stored' }
`);

/** ARGV: name of the rebuild, its silence in ms, then rooms. */
export const addToRebuildScript = redisScript(`${raise}
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return { 'lost' } end
redis.call('PEXPIRE', KEYS[3], ARGV[2])
raise(KEYS[4], KEYS[5], 3, ARGV[2])
return { 'stored' }
`);

/** ARGV: name of the rebuild, kept for ms or ''. */
export const endRebuildScript = redisScript(`
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return { 'lost' } end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3])
if redis.call('EXISTS', KEYS[4]) == 1 then
  redis.call('RENAME', KEYS[4], KEYS[1])
  redis.call('RENAME', KEYS[5], KEYS[2])
  for at = 1, 2 do
    if ARGV[2] == '' then redis.call('PERSIST', KEYS[at])
    else redis.call('PEXPIRE', KEYS[at], ARGV[2]) end
  end
end
return { 'stored' }
`);

/** ARGV: from as a bound of ZRANGEBYLEX, most rooms. Answers 'page', places before it, members. */
export const boardPageScript = redisScript(`
if redis.call('ZCARD', KEYS[1]) ~= redis.call('HLEN', KEYS[2]) then
  redis.call('UNLINK', KEYS[1], KEYS[2])
end
local members = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
local before = 0
if #members > 0 then before = redis.call('ZRANK', KEYS[1], members[1]) end
return { 'page', before, unpack(members) }
`);
