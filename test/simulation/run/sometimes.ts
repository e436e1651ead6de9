/**
 * What must have happened at least once in many runs, or they prove nothing (INV-37): counted by the
 * product's own metrics, by the world, and by the faults that hit somebody.
 */
import { tracePoints } from '../../../src/ports/trace.ts';
import { aimedNames } from '../plan/aimed-kinds.ts';
import { faultKinds, luckyFaultKinds, readFaultKinds, rtcFaultKinds } from '../plan/fault-kinds.ts';
import { readQuestions } from '../plan/plan-reads.ts';
import { askWeights } from '../plan/plan-workload.ts';
import { lightAsks, type AskType } from '../plan/planned-ask.ts';

/** Fewer runs may miss something by chance. */
export const floorsFromSeeds = 500;

function owned(outcome: string): readonly string[] {
  return readQuestions.map((question) => `cell_reads_total|${question}|${outcome}`);
}

/**
 * Name, and the beginnings of the counters of which one must have counted. Not among them, because
 * only a fault of the product reaches them: a repeat stopped by its unique key (the look-up and the
 * fence come first), and a repeat that its adapter remembers (the start of a run comes first).
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  'a takeover': ['cell_takeovers_total'],
  'a cell killed with a transaction open': ['world_killed_in_transaction'],
  'a fenced commit': ['cell_commit_ms|fenced'],
  'a commit behind a busy fence': ['cell_commit_ms|fenceBusy'],
  'an unknown commit that had counted': ['cell_unknown_commits_total|committed'],
  'an unknown commit that had not': ['cell_unknown_commits_total|absent'],
  'a transaction tried again': ['cell_transaction_retries_total|conflict'],
  'a repeat answered from the log': ['world_replayed_answers'],
  'a record that came again': ['cell_redelivered_total'],
  'a late reply': ['gateway_replies_dropped_total|late'],
  'a double reply': ['gateway_replies_dropped_total|double'],
  'a foreign reply': ['gateway_replies_dropped_total|foreign'],
  'a reply slot lost': ['gateway_slots_lost_total'],
  'a stale fact': ['gateway_stale_facts_total'],
  'a debit without an answer': ['cell_debits_unknown_total'],
  'a debit found': ['world_wallet_find|found'],
  'a debit found absent': ['world_wallet_find|absent'],
  'a debit given back': ['cell_settlements_total|closed'],
  'draws without an answer': ['cell_draws_unknown_total'],
  'a prize that was not certain in time': ['cell_prizes_pending_total'],
  'a prize paid later': ['cell_settlements_total|paid'],
  'rows whose claim was another’s': ['adapter_late_rows_total'],
  'a claim that ran out and was taken again': ['world_claims_retaken'],
  'a row tried again': ['adapter_rows_total|im|retryable', 'adapter_rows_total|activity|retryable'],
  'a batch taken whole': ['adapter_batches_total|activity|all'],
  'a batch of which only the front was taken': ['adapter_batches_total|activity|front'],
  'a batch of which nobody knows what was taken': ['adapter_batches_total|activity|none'],
  'a row failed': ['adapter_rows_total|im|failed', 'adapter_rows_total|activity|failed'],
  'a row that waited behind a failed one': ['world_rows_held_back'],
  'a failed row sent again by an operator': ['world_failed_rows|ReplayOutbox'],
  'a failed row given up by an operator': ['world_failed_rows|DismissOutbox'],
  'a lease that named somebody else': ['cell_lease_foreign_total'],
  'a lease without an answer': ['cell_lease_unreachable_total'],
  'a process drained with calls in it': ['world_drained_with_calls'],
  'an expired command': ['cell_refused_total|EXPIRED'],
  'a dead letter': ['world_dead_letters'],
  'a room rebuilt': ['cell_room_load_ms'],
  'steps that left by retention': ['relay_retired_rows_total|steps'],
  'events that left by retention': ['relay_retired_rows_total|events'],
  'rows of the outbox that left by retention': ['relay_retired_rows_total|delivered'],
  'a room evicted': ['cell_rooms_evicted_total'],
  'a publish window that ran out': ['world_log|ExpireMicPublish|applied'],
  'a mic session that fell silent': ['world_log|ExpireMicHeartbeat|applied'],
  'a heartbeat that confirmed its session': ['cell_heartbeat_confirmations_total'],
  'a request for the mic that nobody answered': ['world_log|ExpireMicRequests|applied'],
  'users taken out for their silence': ['world_log|SweepStaleUsers|applied'],
  'a ban that ended by itself': ['world_log|ExpireBans|applied'],
  'a rocket that launched': ['world_log|LaunchRocket|applied'],
  'a room closed behind its grace': ['world_log|FinishClosing|applied'],
  'a wrong password counted': ['world_log|NotePasswordAttempt|applied'],
  'an RTC event that counted': ['world_log|ApplyRtcEvent|applied'],
  'an RTC event that came too late': ['world_log|ApplyRtcEvent|no_effect'],
  'a question answered by the owner': owned('answered'),
  'a question passed on to the owner': ['cell_reads_forwarded_total|route'],
  'a question to somebody who is not the owner': owned('NOT_OWNER'),
  'a question that waited for a commit': ['cell_reads_waited_total'],
  'a watch that went on at another owner': ['world_watches_resumed'],
  'a gap of a watch filled from the log': ['world_watch_pages'],
  'a user put out of RTC by the outbox': ['adapter_rtc_removals_total|removed'],
  'a user who may be in RTC again before a try': ['adapter_rtc_removals_total|allowed_again'],
  'a user banned from a group': ['adapter_im_bans_total|banned'],
  'a user let into a group again': ['adapter_im_bans_total|unbanned'],
  'a ban that was taken back before a try': ['adapter_im_bans_total|taken_back'],
  'a removal at once without an answer': ['cell_rtc_removals_total|unknown'],
  'a room brought to the boards': ['projection_board_copies_total|stored'],
  'a room that waited to be on the boards': ['projection_board_copies_total|unreachable'],
  'a robot that came into a room of people': ['world_robot_log|guest|JoinRoom|applied'],
  'a robot that went from a room of people': ['world_robot_log|guest|LeaveRoom|applied'],
  'a robot room opened by a robot': ['world_robot_log|host|CreateRoom|applied'],
  'a gift of a robot': ['world_robot_log|host|SendGift|applied'],
  'a gift of a former owner’s robot given back': ['world_robot_log|host|SendGift|rejected'],
  'a command of a former owner’s robot refused': ['cell_robot_leftovers_total'],
  'what robots do shown by sample': ['cell_displays_total|RoomGiftSent'],
  'a copy of the room list made whole': ['projection_list_passes_total|ready'],
  'a copy of a room that came too late': ['projection_list_copies_total|too_late'],
  'a copied fact shown by the display lane': ['cell_displays_total|RoomUserUpdated'],
  'comings and goings shown together': ['cell_displays_total|RoomUsersCameAndWent'],
  'a gift to several shown as one': ['cell_displays_total|RoomGiftBatchShown'],
  'progress of a rocket shown': ['cell_displays_total|RoomRocketProgressed'],
  'a big win shown': ['cell_displays_total|RoomLuckyWinShown'],
  'a display that arrived': ['adapter_displays_total|sent'],
  'an upgrade under way': ['world_levels_stored|1'],
  'a command of a release that is not there yet': ['world_calls_failed|NOT_YET_ENABLED'],
  'a snapshot': ['cell_snapshot_ms'],
  'a snapshot not written': ['cell_snapshot_failures_total'],
};

/** Commands of clients; each must have changed a room in some run. */
const appliedTypes = (Object.keys(askWeights) as AskType[]).filter((type) => !lightAsks.has(type));

/** Names of what the runs have not seen. */
export function missedFloors(counts: ReadonlyMap<string, number>): readonly string[] {
  const has = (beginning: string): boolean => {
    for (const [name, count] of counts) if (count > 0 && name.startsWith(beginning)) return true;
    return false;
  };
  const missed = Object.entries(floors).filter(([, beginnings]) => !beginnings.some(has));
  const kinds = Object.keys({
    ...faultKinds,
    ...readFaultKinds,
    ...rtcFaultKinds,
    ...luckyFaultKinds,
  }).filter((kind) => !counts.has(`fault ${kind}`));
  const unhit = aimedNames.filter((kind) => !counts.has(`world_aimed_hits|${kind}`));
  const unapplied = appliedTypes.filter((type) => !counts.has(`world_log|${type}|applied`));
  const points = tracePoints.filter(
    (point) =>
      !['kill', 'vanish', 'freeze'].some((what) => counts.has(`fault ${what} at ${point}`)),
  );
  return [
    ...missed.map(([name]) => name),
    ...kinds.map((kind) => `fault ${kind}`),
    ...unhit.map((kind) => `the moment of ${kind}`),
    ...unapplied.map((type) => `a ${type} that was applied`),
    ...points.map((point) => `fault at point ${point}`),
  ];
}

/** Adds the counts of one run. */
export function addCounts(
  sums: Map<string, number>,
  counts: Iterable<readonly [string, number]>,
): void {
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
}

/** Sum of the counters whose name begins like this. */
export function sumOf(counts: ReadonlyMap<string, number>, beginning: string): number {
  let sum = 0;
  for (const [name, count] of counts) if (name.startsWith(beginning)) sum += count;
  return sum;
}
