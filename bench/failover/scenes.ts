/** What befalls an owner in one round, and what is measured of it. */
import { waitUntil } from '../../test/support/wait-until.ts';
import type { Moved } from './failover-figures.ts';
import type { SteadyCaller } from './steady-caller.ts';
import type { ThreeCells } from './three-cells.ts';

/** A try during an outage: what is lost with the owner is asked again so soon. */
const outageTryMs = 500;
/** Answers of each room before the owner stops, and behind its end. */
const answersAround = 25;
const limitMs = 60_000;

/** Milliseconds from the kill until each room answered a command that was asked behind it. */
export async function killOwner(
  cells: ThreeCells,
  { startAtOnce }: { readonly startAtOnce: boolean },
): Promise<readonly number[]> {
  const name = cells.nextVictim();
  const callers = await cells.callersOf(name);
  await cells.cell(name).kill();
  const killedMs = performance.now();
  const started = startAtOnce ? cells.startCell(name) : Promise.resolve();
  const waited = await answersSince(callers, killedMs);
  await started;
  if (!startAtOnce) await cells.startCell(name);
  await cells.settled();
  return waited;
}

/** What one room's caller saw of a planned stop. */
export interface SeenStop {
  /** Longest time from a first try to the answer. */
  readonly longestMs: number;
  readonly calls: number;
  readonly retried: number;
  readonly failed: number;
}

/** Callers go on while the owner is told to stop and ends; one result for each. */
export async function stopOwner(cells: ThreeCells): Promise<readonly SeenStop[]> {
  const name = cells.nextVictim();
  const callers = await cells.callersOf(name);
  for (const caller of callers) caller.start();
  await answered(callers, answersAround);
  const toldMs = performance.now();
  const { code } = await cells.cell(name).terminate();
  if (code !== 0) throw new Error(`${name} ended with ${code} on SIGTERM`);
  await answered(callers, answersAround);
  await Promise.all(callers.map((caller) => caller.stop()));
  await cells.startCell(name);
  await cells.settled();
  return callers.map(({ asked }) => {
    const since = asked.filter(({ endedMs }) => endedMs >= toldMs);
    return {
      longestMs: Math.max(...since.map(({ sentMs, endedMs }) => endedMs - sentMs)),
      calls: since.length,
      retried: since.filter(({ tries }) => tries > 1).length,
      failed: since.filter(({ tries }) => tries > 2).length,
    };
  });
}

/** What one round of a frozen owner gave. */
export interface SeenFreeze {
  readonly waitedMs: readonly number[];
  /** The late COMMIT changed nothing: the command is in the log once, by the next owner. */
  readonly isRefused: boolean;
}

/** The owner freezes in the midst of a transaction and is let go on when others have taken over. */
export async function freezeOwner(cells: ThreeCells): Promise<SeenFreeze> {
  const name = cells.nextVictim();
  const arm = await cells.replaceByFreezing(name);
  const callers = await cells.callersOf(name);
  arm();
  // The first command of any of these rooms stops the process; the others find it stopped.
  const frozenMs = performance.now();
  const waitedMs = await answersSince(callers, frozenMs);
  cells.cell(name).thaw();
  await cells
    .cell(name)
    .logged('it is fenced or lost its partitions', ({ msg }) =>
      /fenced|partition lost|assignment/.test(String(msg)),
    );
  await cells.settled();
  const isRefused = !(await hasLateRows(cells, callers));
  return { waitedMs, isRefused };
}

/** One of three leaves, and joins again: what moved, and what had to. */
export async function leaveAndJoin(
  cells: ThreeCells,
): Promise<{ readonly leaves: Moved; readonly joins: Moved }> {
  const name = cells.nextVictim();
  const before = await cells.settled();
  const { code } = await cells.cell(name).terminate();
  if (code !== 0) throw new Error(`${name} ended with ${code} on SIGTERM`);
  const between = await cells.without(name);
  await cells.startCell(name);
  const after = await cells.settled();
  return {
    leaves: { rounds: 1, moved: moved(before, between), share: heldBy(before, name) },
    joins: { rounds: 1, moved: moved(between, after), share: heldBy(after, name) },
  };
}

async function answersSince(
  callers: readonly SteadyCaller[],
  sinceMs: number,
): Promise<readonly number[]> {
  const ends = await Promise.all(callers.map((caller) => caller.once(outageTryMs)));
  return ends.map(({ endedMs }) => endedMs - sinceMs);
}

async function answered(callers: readonly SteadyCaller[], more: number): Promise<void> {
  const wanted = callers.map(({ asked }) => asked.length + more);
  await waitUntil(
    `each of ${callers.length} rooms has ${more} more answers`,
    () => Promise.resolve(callers.every(({ asked }, at) => asked.length >= (wanted[at] ?? 0))),
    { limitMs, seen: () => callers.map(({ asked }) => asked.length) },
  );
}

/**
 * Rows of these rooms that an epoch wrote behind a later one: versions are given in the order of commits,
 * so a late COMMIT that counted is a version with an epoch below that of the version before it.
 */
async function hasLateRows(
  { fleet }: ThreeCells,
  callers: readonly SteadyCaller[],
): Promise<boolean> {
  for (const { room, commands } of callers) {
    const rows = await fleet.sql(
      'SELECT command_id, epoch FROM room_command_log WHERE room_id = ? ORDER BY applied_version',
      [room],
    );
    const epochs = rows.map(({ epoch }) => BigInt(String(epoch)));
    const isRising = epochs.every((epoch, at) => at === 0 || epoch >= (epochs[at - 1] ?? 0n));
    // The room was made by the owner that froze; what was asked behind that is the successor's.
    const isSuccessors = (epochs.at(-1) ?? 0n) > (epochs[0] ?? 0n);
    if (!isRising || !isSuccessors || rows.length !== commands + 1) return true;
  }
  return false;
}

function moved(before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): number {
  return [...after].filter(([partition, node]) => before.get(partition) !== node).length;
}

function heldBy(owned: ReadonlyMap<number, string>, name: string): number {
  return [...owned.values()].filter((node) => node === name).length;
}
