/**
 * Claims runs for a relay (OUT-9, OUT-23). Every statement commits by itself: a relay that freezes
 * half-way holds no lock of the database, only claims that run out.
 *
 * At most one run per stream is under way, whoever claims. The oldest unfinished row, the head, is
 * the stream's mutex: it is claimed first and alone, and only its owner claims the rows behind it.
 *
 * Race A, same head: (1) relays R and S both see the rows 1, 2; S also the new row 3. (2) R makes
 * row 1 `delivering`. (3) The UPDATE of S waits for the lock on row 1, reads the row anew as READ
 * COMMITTED does, finds it `delivering`, changes nothing. S has no head and takes neither 2 nor 3.
 * Claiming all three in one UPDATE would have left S with row 3 alone: two runs.
 *
 * Race B, old view: (1) S sees row 1 `delivering` with an expired lock. (2) Its adapter, only late,
 * starts it again or ends it. (3) The UPDATE of S compares state, lock and time and changes nothing.
 *
 * Race C, different heads: (1) S plans the head 2, as row 1 is `failed`. (2) An operator replays row
 * 1. (3) R sees 1 as the head. Both UPDATEs succeed, on different rows. (4) Each reads the stream
 * once more after its own UPDATE was committed: whichever wrote later sees the other's row under way
 * and gives its own back. If both do, the next round finds one head.
 *
 * The second look also meets an adapter that starts the rows behind an expired head late, and a row
 * that became `failed` in between where that blocks.
 *
 * Tests: outbox-races, and "two stores that race …" (outbox-claim-contract).
 */
import type { BlockingDestinations, ClaimedRun, ClaimRequest } from '../../ports/outbox-store.ts';
import { readUnderWay, roomFor, spend } from './outbox-budget.ts';
import type { Budget } from './outbox-budget.ts';
import { CandidateScan } from './outbox-candidates.ts';
import type { ScanPositions } from './outbox-candidates.ts';
import { fetchRuns } from './outbox-fetch.ts';
import { isUnderWay, planRun } from './outbox-plan.ts';
import { viewHeld, viewStreams } from './outbox-looks.ts';
import type { HeldStream, SeenStream } from './outbox-looks.ts';
import { claimableSql, streamKey } from './outbox-rows.ts';
import type { Stream, UnfinishedRow } from './outbox-rows.ts';
import { giveBackRows, lockableNow, writeOutbox } from './outbox-write.ts';
import type { MysqlSession } from './session.ts';

/** A run as it is put together: the head first, the rows behind it later. */
export interface PlannedRun {
  readonly stream: Stream;
  readonly claimToken: string;
  readonly rowIds: readonly bigint[];
}

/** Streams looked at in one go. */
const streamsPerStep = 100;

/** One round; see the file header. Throws MysqlError. */
export async function claimRuns(
  session: MysqlSession,
  request: ClaimRequest,
  positions: ScanPositions,
  blocking: BlockingDestinations,
): Promise<readonly ClaimedRun[]> {
  const scan = new CandidateScan(request, positions);
  const runs: ClaimedRun[] = [];
  const { budget, underWay, expired } = await readUnderWay(session, request);
  const claim = async (streams: readonly SeenStream[]): Promise<void> => {
    for (let at = 0; at < streams.length && budget.left > 0; at += streamsPerStep) {
      const step = streams.slice(at, at + streamsPerStep);
      runs.push(...(await claimStreams(session, request, step, budget, blocking)));
    }
  };
  await claim(expired);
  while (budget.left > 0) {
    const streams = await scan.nextStreams(session, runs.length > 0);
    if (streams === null) break;
    await claim(streams.filter(({ stream }) => !underWay.has(streamKey(stream))));
  }
  scan.remember(budget.left <= 0);
  return runs;
}

async function claimStreams(
  session: MysqlSession,
  request: ClaimRequest,
  streams: readonly SeenStream[],
  budget: Budget,
  blocking: BlockingDestinations,
): Promise<readonly ClaimedRun[]> {
  const limits = { pendingLimit: request.runSize, blocking };
  // 1. Look at each stream as a whole.
  const open = streams.filter(({ stream }) => roomFor(stream, budget) > 0);
  const views = await viewStreams(session, open, limits);
  const heads: HeldStream[] = [];
  for (const seen of open) {
    const { stream } = seen;
    const plan = planRun(views.get(streamKey(stream)) ?? [], request);
    if (plan.kind === 'killer') await failKiller(session, request, plan.row);
    const headId = plan.kind === 'run' ? plan.rowIds[0] : undefined;
    if (headId === undefined || roomFor(stream, budget) <= 0) continue;
    spend(budget, stream, 1);
    heads.push({ ...seen, headId, claimToken: request.newClaimToken() });
  }
  // 2. Take the heads (races A and B).
  const free = await lockableNow(
    session,
    heads.map(({ headId }) => headId),
  );
  const wanted = heads.filter(({ headId }) => free.has(headId));
  const taken = await take(
    session,
    request,
    wanted.map((head) => plannedOf(head, [head.headId])),
  );
  if (taken === 0) return [];
  // 3. Look again, now that nobody who sees a head of ours can begin a run (race C).
  const after = await viewHeld(session, wanted, limits);
  const runs: PlannedRun[] = [];
  for (const head of wanted) {
    const run = wholeRun(head, after.get(streamKey(head.stream)) ?? [], request, budget);
    if (run === 'lost') continue;
    if (run === 'contested') await giveBackRows(session, head.claimToken, [head.headId]);
    else runs.push(run);
  }
  // 4. Take the rows behind the heads, and read what we have with its envelopes.
  const tails = runs.map((run) => ({ ...run, rowIds: run.rowIds.slice(1) }));
  await take(session, request, tails);
  return fetchRuns(session, request, runs);
}

function plannedOf({ stream, claimToken }: HeldStream, rowIds: readonly bigint[]): PlannedRun {
  return { stream, claimToken, rowIds };
}

/** The run that begins with our head; spends the budget for the rows behind it. */
function wholeRun(
  head: HeldStream,
  rows: readonly UnfinishedRow[],
  request: ClaimRequest,
  budget: Budget,
): PlannedRun | 'lost' | 'contested' {
  const own = rows.find((row) => row.id === head.headId);
  if (own === undefined || own.claimToken !== head.claimToken) return 'lost';
  if (rows.some((row) => row !== own && isUnderWay(row, request.nowMs))) return 'contested';
  if (rows.some((row) => row.id < own.id)) return 'contested';
  // To the plan our head looks like a row that may be taken, which it is: by us.
  const asClaimable = rows.map((row) => (row === own ? { ...row, lockUntilMs: 0 } : row));
  const plan = planRun(asClaimable, { ...request, startedMax: Number.POSITIVE_INFINITY });
  const rowsMax = 1 + Math.max(roomFor(head.stream, budget), 0);
  const rowIds = plan.kind === 'run' ? plan.rowIds.slice(0, rowsMax) : [head.headId];
  spend(budget, head.stream, rowIds.length - 1);
  return plannedOf(head, rowIds);
}

/** Claims rows that are still claimable; answers how many it were. */
async function take(
  session: MysqlSession,
  request: ClaimRequest,
  runs: readonly PlannedRun[],
): Promise<number> {
  const rows = runs.flatMap(({ rowIds, claimToken }) => rowIds.map((id) => ({ id, claimToken })));
  if (rows.length === 0) return 0;
  rows.sort((one, other) => (one.id < other.id ? -1 : 1));
  const ids = rows.map(({ id }) => id);
  const tokens = rows.map(({ claimToken }) => claimToken);
  // INTERVAL finds a row's place among the sorted ids by halves; a CASE would try them one by one, which
  // for a batch of a thousand rows is half a million comparisons.
  return writeOutbox(
    session,
    'UPDATE room_outbox FORCE INDEX (PRIMARY) SET worker_id = ?, ' +
      'claim_token = ELT(INTERVAL(id, ?), ?), ' +
      `status = 'delivering', lock_until_ms = ? WHERE id IN (?) AND ${claimableSql}`,
    [
      request.workerId,
      ids,
      tokens,
      request.nowMs + request.lockMs,
      ids,
      request.nowMs,
      request.nowMs,
    ],
  );
}

/** Ends a row that was started too often without a finish: it kills its worker. */
async function failKiller(
  session: MysqlSession,
  request: ClaimRequest,
  row: UnfinishedRow,
): Promise<void> {
  const error = `started ${row.startedCount} times without an end: it seems to stop its worker`;
  await writeOutbox(
    session,
    "UPDATE room_outbox FORCE INDEX (PRIMARY) SET status = 'failed', last_error = ?, " +
      'finished_at_ms = ?, lock_until_ms = 0 WHERE id = ? AND claim_token = ? ' +
      "AND status = 'delivering' AND lock_until_ms <= ? AND started_count >= ?",
    [error, request.nowMs, row.id, row.claimToken, request.nowMs, request.startedMax],
  );
}
