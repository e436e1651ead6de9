/**
 * After 1062 on a command id: somebody stored a result that neither memory nor the look-up at intake
 * had seen. Looks all ids of the work up again, so that the next try answers the stored result.
 *
 * Race (test "an id that was committed between look-up and decide answers its stored result"):
 *   1. Intake looks the id up: none.
 *   2. The same id commits by another path (an earlier batch of ours, a former owner's COMMIT).
 *   3. We decide and commit: the primary key of the log refuses the second row.
 */
import type { StoredResult } from '../../ports/room-reader.ts';
import type { CellContext } from '../cell-context.ts';
import { retryForever } from '../retry-forever.ts';
import type { CommandItem } from '../work.ts';
import type { PartitionWork } from './draft.ts';

const idsPerRead = 500;

/**
 * Sets `stored` of every command whose id has a log row by now. True when there was one that was not
 * known before: only then can the next try end otherwise than this one.
 */
export async function refreshResults(
  context: CellContext,
  works: readonly PartitionWork[],
): Promise<boolean> {
  context.metrics.count('cell_duplicate_ids_total');
  const items: CommandItem[] = works
    .flatMap(({ rooms }) => rooms.flatMap((room) => room.items))
    .filter((item) => item.kind === 'command');
  let learned = false;
  for (let at = 0; at < items.length; at += idsPerRead) {
    const some = items.slice(at, at + idsPerRead);
    const found = await retryForever(
      context,
      'find results again',
      () => works.some(({ partition }) => partition.active),
      () =>
        context.rooms.findResults(
          some.map(({ roomKey, command }) => ({ roomKey, commandId: command.commandId })),
        ),
    );
    for (const item of some) {
      const stored = storedOf(item, found ?? []);
      if (stored === undefined) continue;
      learned ||= item.stored === null;
      item.stored = stored;
    }
  }
  return learned;
}

function storedOf(item: CommandItem, found: readonly StoredResult[]): StoredResult | undefined {
  return found.find(
    ({ roomKey, commandId }) => roomKey === item.roomKey && commandId === item.command.commandId,
  );
}
