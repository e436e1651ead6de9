/** Which rows of the outbox somebody means, as SQL that walks one index and no more than it must. */
import type { OutboxFilter, OutboxStatus } from '../../ports/replay-store.ts';
import { outboxShardCount } from '../../protocol/outbox-shard.ts';
import { destinations } from '../../protocol/topics.ts';

const everyShard = Array.from({ length: outboxShardCount }, (_, shard) => shard);

/**
 * `FROM … WHERE …` with its values, for more conditions behind it. An event and a room have keys of
 * their own; without either all shards are walked, of which only the rows in that state are met.
 */
export function outboxWhere(
  filter: OutboxFilter,
  status: OutboxStatus,
): { readonly source: string; readonly values: readonly unknown[] } {
  const { appCode, roomId, eventId, destination, eventType, createdBeforeMs } = filter;
  const named = destination === '' ? destinations : [destination];
  const conditions: [string, unknown][] = [];
  if (eventId !== '') conditions.push(['event_id = ?', eventId]);
  if (roomId !== '') conditions.push(['room_id = ?', roomId]);
  if (eventType !== '') conditions.push(['event_type = ?', eventType]);
  if (createdBeforeMs !== 0) conditions.push(['created_at_ms < ?', createdBeforeMs]);
  const isWalk = eventId === '' && roomId === '';
  const index = eventId !== '' ? 'one_row_per_destination' : isWalk ? 'by_shard' : 'by_stream';
  if (isWalk) conditions.push(['shard IN (?)', everyShard]);
  const first: [string, unknown][] = [
    ['app_code = ?', appCode],
    ['status = ?', status],
    ['destination IN (?)', [...named]],
  ];
  const all = [...first, ...conditions];
  return {
    source: `FROM room_outbox FORCE INDEX (${index}) WHERE ${all.map(([sql]) => sql).join(' AND ')}`,
    values: all.map(([, value]) => value),
  };
}
