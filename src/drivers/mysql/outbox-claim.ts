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
import { assert } from '../../kernel/assert.ts';
import { budgetBeside, roomFor, spend, underWayOf, underWayStatement } from './outbox-budget.ts';
import type { Budget } from './outbox-budget.ts';
import { CandidateScan } from './outbox-candidates.ts';
import type { ScanPositions } from './outbox-candidates.ts';
import { fetchStatement, keepFetched } from './outbox-fetch.ts';
import { lookStatement, viewHeld, viewStreams } from './outbox-looks.ts';
import type { HeldStream, LookLimits, SeenStream } from './outbox-looks.ts';
import { isUnderWay, planRun } from './outbox-plan.ts';
import { streamKey } from './outbox-rows.ts';
import type { PlannedRun, UnfinishedRow } from './outbox-rows.ts';
import type { SmallLook } from './outbox-small-look.ts';
import {
  failKiller,
  giveBackRows,
  lockableNow,
  takeStatement,
  writeAndRead,
} from './outbox-write.ts';
import type { MysqlSession, Row } from './session.ts';

/** Streams looked at in one go. */
const streamsPerStep = 100;

/** What one round of claims goes by. */
interface Round {
  readonly session: MysqlSession;
  readonly request: ClaimRequest;
  readonly limits: LookLimits;
  readonly budget: Budget;
}

/** What a store remembers from one claim to the next. */
export interface ClaimMemory {
  readonly positions: ScanPositions;
  readonly smallLook: SmallLook;
}

/** One round; see the file header. Throws MysqlError. */
export async function claimRuns(
  session: MysqlSession,
  request: ClaimRequest,
  memory: ClaimMemory,
  blocking: BlockingDestinations,
): Promise<readonly ClaimedRun[]> {
  const limits = { pendingLimit: request.runSize, blocking };
  const whole = await memory.smallLook.streams(session, request);
  if (whole === null) return claimByScan(session, request, memory.positions, limits);
  const round = { session, request, limits, budget: budgetBeside(whole, request) };
  return claimInSteps(round, whole);
}

/** Where much has gathered: counts what is under way and goes through the shards page by page. */
async function claimByScan(
  session: MysqlSession,
  request: ClaimRequest,
  positions: ScanPositions,
  limits: LookLimits,
): Promise<readonly ClaimedRun[]> {
  const scan = new CandidateScan(request, positions);
  let page = scan.nextPage(false);
  assert(page !== null, 'a claim names a shard');
  const [counted, first] = await session.runAll([underWayStatement(request), page]);
  const { budget, underWay, expired } = underWayOf(counted?.rows ?? [], request);
  const round = { session, request, limits, budget };
  const runs = [...(await claimInSteps(round, expired))];
  let found = first?.rows ?? [];
  while (budget.left > 0) {
    const idle = scan.streamsOf(found).filter(({ stream }) => !underWay.has(streamKey(stream)));
    runs.push(...(await claimInSteps(round, idle)));
    page = budget.left > 0 ? scan.nextPage(runs.length > 0) : null;
    if (page === null) break;
    found = await session.rows(page.sql, page.values);
  }
  scan.remember(budget.left <= 0);
  return runs;
}

async function claimInSteps(
  round: Round,
  streams: readonly SeenStream[],
): Promise<readonly ClaimedRun[]> {
  const runs: ClaimedRun[] = [];
  for (let at = 0; at < streams.length && round.budget.left > 0; at += streamsPerStep) {
    runs.push(...(await claimStreams(round, streams.slice(at, at + streamsPerStep))));
  }
  return runs;
}

async function claimStreams(
  round: Round,
  streams: readonly SeenStream[],
): Promise<readonly ClaimedRun[]> {
  const { session, request, limits, budget } = round;
  // 1. Look at each stream as a whole.
  const open = streams.filter(({ stream }) => roomFor(stream, budget) > 0);
  const { views, free, lookedAt } = await viewStreams(session, open, limits);
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
  const unknown = heads.filter(({ headId }) => !lookedAt.has(headId));
  const freeToo = await lockableNow(
    session,
    unknown.map(({ headId }) => headId),
  );
  const wanted = heads.filter(({ headId }) => free.has(headId) || freeToo.has(headId));
  return wanted.length === 0 ? [] : takeRuns(round, wanted);
}

/** Takes the heads, at least one, and what may come behind them. */
async function takeRuns(
  round: Round,
  wanted: readonly HeldStream[],
): Promise<readonly ClaimedRun[]> {
  const { session, request, limits, budget } = round;
  const headIds = wanted.map(({ headId }) => headId);
  const isEachAlone = wanted.every(({ pending }) => pending.length === 1);
  // 2. Take the heads (races A and B).
  const takeHeads = takeStatement(
    request,
    wanted.map((head) => plannedOf(head, [head.headId])),
  );
  // 3. Look again, now that nobody who sees a head of ours can begin a run (race C).
  const [taken, looked, fetched] = await writeAndRead(session, takeHeads, [
    lookStatement(headIds, limits),
    ...(isEachAlone ? [fetchStatement(headIds)] : []),
  ]);
  if (taken?.affected === 0) return [];
  const after = await viewHeld(session, wanted, limits, looked?.rows ?? []);
  const runs: PlannedRun[] = [];
  for (const head of wanted) {
    const run = wholeRun(head, after.get(streamKey(head.stream)) ?? [], request, budget);
    if (run === 'lost') continue;
    if (run === 'contested') await giveBackRows(session, head.claimToken, [head.headId]);
    else runs.push(run);
  }
  if (runs.length === 0) return [];
  // 4. Take the rows behind the heads, and read what we have with its envelopes.
  const rows = await takeTails(round, runs, fetched?.rows);
  return keepFetched(session, request, runs, rows);
}

/** `headRows`: the heads' own, if they were fetched already. */
async function takeTails(
  { session, request }: Round,
  runs: readonly PlannedRun[],
  headRows: readonly Row[] | undefined,
): Promise<readonly Row[]> {
  const tails = runs.map((run) => ({ ...run, rowIds: run.rowIds.slice(1) }));
  const fetch = fetchStatement(runs.flatMap((run) => run.rowIds));
  if (tails.every(({ rowIds }) => rowIds.length === 0)) {
    return headRows ?? session.rows(fetch.sql, fetch.values);
  }
  const [, fetched] = await writeAndRead(session, takeStatement(request, tails), [fetch]);
  return fetched?.rows ?? [];
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
