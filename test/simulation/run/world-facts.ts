/** Facts of a run that no metric of the product counts, for the list of what must have happened. */
import type { FoundDebit } from '../../../src/ports/wallet.ts';
import { robotOriginOf } from '../checkers/robot-ids.ts';
import type { World } from '../world/world.ts';

/** Counts from now on, into the run's metrics. */
export function countWorldFacts(world: World): void {
  const { metrics, database, wallet } = world;
  world.watch((seen) => {
    if (seen.kind !== 'answered') return;
    const { end } = seen;
    if (end.kind === 'ok' && end.replayed) metrics.count('world_replayed_answers');
    if ('reason' in end) metrics.count('world_calls_failed', { reason: end.reason });
  });
  database.outbox.watch((_, before, after) => {
    const isRetaken =
      before?.status === 'delivering' &&
      after?.status === 'delivering' &&
      before.claimToken !== after.claimToken;
    if (isRetaken) metrics.count('world_claims_retaken');
  });
  countWatches(world);
  const find = wallet.find.bind(wallet);
  wallet.find = async (...call): ReturnType<typeof find> => {
    const found = await find(...call);
    metrics.count('world_wallet_find', {
      kind: found.kind satisfies FoundDebit['kind'] | 'status',
    });
    return found;
  };
}

/** Streams that tell a version of one ownership of the room and then one of another. */
function countWatches(world: World): void {
  const epochs = new Map<string, bigint>();
  const lastEpoch = new Map<number, bigint>();
  world.database.log.watch((_, __, row) => {
    if (row?.appliedVersion === null || row?.appliedVersion === undefined) return;
    epochs.set(`${row.appCode}\0${row.roomId}\0${row.appliedVersion}`, row.epoch);
  });
  world.watch((seen) => {
    if (seen.kind !== 'watchTold' || seen.message.kind !== 'step') return;
    const { watchId, appCode, roomId } = seen.watch;
    const epoch = epochs.get(`${appCode}\0${roomId}\0${seen.message.step.version}`) ?? 0n;
    const before = lastEpoch.get(watchId) ?? epoch;
    if (before !== epoch) world.metrics.count('world_watches_resumed');
    lastEpoch.set(watchId, epoch);
  });
}

/** At the end: what lies in the tables. */
export function countTables({ metrics, database }: World): void {
  metrics.count('world_dead_letters', {}, database.deadLetters.length);
  for (const { commandType: type, outcome, commandId } of database.log.values()) {
    metrics.count('world_log', { type, outcome });
    const kind = robotOriginOf(commandId)?.kind;
    if (kind !== undefined) metrics.count('world_robot_log', { kind, type, outcome });
  }
}
