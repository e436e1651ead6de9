/**
 * The lease in Redis: what is stored and the scripts that change it. Each script is atomic and
 * touches one key, so it works on a cluster, too.
 *
 * Value: `<epoch>.<counter>|<owner node id>`. Epochs are compared as decimal text (longer is greater,
 * then by digits), because Lua's numbers are doubles and would merge epochs above 2^53.
 */
import { redisScript, type RedisScript } from './redis-script.ts';

/**
 * `nextToken` makes the token after both the stored counter (when it is of our epoch) and the one
 * that the caller believes in: an emptied Redis must not hand out a token a second time.
 */
const shared = `
local function parse(value)
  if not value then return nil end
  local epoch, counter, owner = string.match(value, '^(%d+)%.(%d+)|(.*)$')
  if not epoch then return nil end
  return { epoch = epoch, counter = tonumber(counter), owner = owner }
end
local function isGreater(a, b)
  if #a ~= #b then return #a > #b end
  return a > b
end
local function nextToken(lease, epoch, believed)
  local counter = tonumber(believed)
  if lease and lease.epoch == epoch and lease.counter > counter then counter = lease.counter end
  return epoch .. '.' .. string.format('%.0f', counter + 1)
end
local function hold(owner, token, ttlMs)
  redis.call('SET', KEYS[1], token .. '|' .. owner, 'PX', ttlMs)
  return { 'held', owner, token }
end
`;

/**
 * ARGV: owner, epoch, counter believed (0: none), TTL ms, renew when less than this is left.
 * A damaged value counts as absent: MySQL decides who may write, so it may be overwritten.
 */
export const ensureOwnerScript = script(`
local owner, epoch, believed, ttlMs, renewBelowMs = unpack(ARGV)
local lease = parse(redis.call('GET', KEYS[1]))
if lease then
  if isGreater(lease.epoch, epoch) or (lease.epoch == epoch and lease.owner ~= owner) then
    return { 'foreign', lease.owner, lease.epoch .. '.' .. string.format('%.0f', lease.counter) }
  end
  if lease.epoch == epoch then
    local isFresh = redis.call('PTTL', KEYS[1]) >= tonumber(renewBelowMs)
    if isFresh and lease.counter >= tonumber(believed) then
      return { 'held', owner, lease.epoch .. '.' .. string.format('%.0f', lease.counter) }
    end
  end
end
return hold(owner, nextToken(lease, epoch, believed), ttlMs)
`);

/** ARGV as for ensure; nothing refuses. Only for a caller that MySQL has confirmed. */
export const overwriteScript = script(`
local owner, epoch, believed, ttlMs = unpack(ARGV)
return hold(owner, nextToken(parse(redis.call('GET', KEYS[1])), epoch, believed), ttlMs)
`);

/** ARGV: owner, token. An absent lease is foreign with empty texts. */
export const verifyOwnerScript = script(`
local value = redis.call('GET', KEYS[1])
if value == ARGV[2] .. '|' .. ARGV[1] then return { 'held', ARGV[1], ARGV[2] } end
local lease = parse(value)
if not lease then return { 'foreign', '', '' } end
return { 'foreign', lease.owner, lease.epoch .. '.' .. string.format('%.0f', lease.counter) }
`);

/** ARGV: owner, token. Compare and delete. */
export const releaseScript = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[2] .. '|' .. ARGV[1] then return { 'foreign', '', '' } end
redis.call('DEL', KEYS[1])
return { 'held', ARGV[1], ARGV[2] }
`);

/** Reads a stored value; null when there is none or it is not one of ours. */
export function parseLeaseValue(
  value: string | null,
): { readonly ownerNodeId: string; readonly token: string } | null {
  const match = /^(\d+\.\d+)\|(.*)$/s.exec(value ?? '');
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { token: match[1], ownerNodeId: match[2] };
}

function script(body: string): RedisScript {
  return redisScript(shared + body);
}
