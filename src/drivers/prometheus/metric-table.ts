/**
 * Every metric there is: its kind, its labels and what it counts. `docs/metrics.md` shows the same
 * table; a test keeps the two, and every use in the source, alike. The endpoint shows each name with
 * the prefix `roomcell_`, whether the source writes it or not.
 */

/** One metric. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'duration' | 'size';
  readonly labels: readonly string[];
  readonly about: string;
}

type Rows = Readonly<Record<string, MetricRow>>;

const counter = (about: string, ...labels: string[]): MetricRow => ({
  kind: 'counter',
  labels,
  about,
});
const gauge = (about: string, ...labels: string[]): MetricRow => ({ kind: 'gauge', labels, about });
const duration = (about: string, ...labels: string[]): MetricRow => ({
  kind: 'duration',
  labels,
  about,
});
const size = (about: string, ...labels: string[]): MetricRow => ({ kind: 'size', labels, about });

const ofProcess: Rows = {
  ready: gauge('1 while /readyz says yes.'),
  log_lines_dropped: gauge('Log lines lost because nobody read them in time.'),
  trace_points_total: counter('Passes of the named points at which fault tests stop.', 'point'),
};

const ofGateway: Rows = {
  grpc_calls_total: counter('Answered gRPC calls.', 'path', 'status'),
  gateway_command_ms: duration('Command calls, from request to answer.', 'type', 'outcome'),
  gateway_stale_facts_total: counter('Commands sent again because a fact was stale.', 'type'),
  gateway_rtc_events_total: counter(
    'Callbacks of the RTC service, by what became of them.',
    'outcome',
  ),
  gateway_list_pages_total: counter('Pages of the room list, by what they came from.', 'from'),
  gateway_leaderboard_pages_total: counter('Pages of boards, by how they ended.', 'outcome'),
  gateway_heartbeat_folds_total: counter('Records that hold many heartbeats.'),
  gateway_watches_open: gauge('Clients that watch rooms.'),
  gateway_watch_resumes_total: counter('Looks of watches for the next owner.', 'reason'),
  gateway_replies_dropped_total: counter('Replies that nobody waited for.', 'why'),
  gateway_slot_renewals_failed_total: counter('Failed renewals of the reply slot.'),
  gateway_slots_lost_total: counter('Reply slots lost; the calls waiting there end as unknown.'),
};

const ofCell: Rows = {
  cell_command_ms: duration('Commands, from record read to reply handed over.', 'outcome'),
  cell_commit_ms: duration('Transactions of the commit lane.', 'outcome'),
  cell_batch_commands: size('Commands in one transaction.'),
  cell_refused_total: counter('Commands answered without a log row.', 'reason'),
  cell_room_busy_total: counter('Commands refused because their room has too many waiting.'),
  cell_intake_bytes: gauge('Bytes of records that were read and are not settled.'),
  cell_intake_full_total: counter('Times that a cell paused all its partitions for their bytes.'),
  cell_redelivered_total: counter('Records that were settled already.'),
  cell_heartbeats_total: counter('Heartbeats taken.'),
  cell_heartbeat_confirmations_total: counter('Mic sessions that a heartbeat said to publish.'),
  cell_robot_rooms: gauge('Rooms of this cell in which robots act.', 'kind'),
  cell_robot_rooms_refused_total: counter('Looks at rooms beyond robots.rooms_max.'),
  cell_robot_commands_total: counter('Commands sent for robots.', 'type', 'end'),
  cell_robot_leftovers_total: counter('Commands of a former owner’s robots, refused.'),
  cell_robot_scan_failures_total: counter('Looks for robots that found no pool or no rules.'),
  cell_rocket_wakes_total: counter('Rooms woken for their rocket by somebody outside.'),
  cell_duplicate_ids_total: counter('Batches decided again because a command id was stored.'),
  cell_poison_total: counter('Records set aside because deciding them failed or ended processes.'),
  cell_poison_searches_total: counter('Takeovers whose records are begun one at a time.'),
  cell_data_errors_total: counter('Batches split because MySQL refused their data.'),
  cell_transaction_retries_total: counter('Transactions tried again.', 'kind'),
  cell_unknown_commits_total: counter('COMMITs without an answer, by how they ended.', 'ended'),
  cell_fenced_total: counter('Partitions found lost at the fence.'),
  cell_stale_rooms_total: counter('Rooms dropped because MySQL had another version.'),
  cell_clock_ahead_ms: gauge('How far the clock is ahead of MySQL’s; below zero: behind.'),
  cell_clock_off_total: counter('Times that a cell left because its clock was off.'),
  cell_partition_owned: gauge('1 while this node owns the partition.', 'partition'),
  cell_partition_queue: gauge(
    'Records of a partition that were read and are not settled.',
    'partition',
  ),
  cell_partition_lag: gauge('Records in the log behind the applied offset.', 'partition'),
  cell_partition_progress_age_ms: gauge(
    'How long a partition with something to do has not got on.',
    'partition',
  ),
  cell_takeovers_total: counter('Partitions taken over.'),
  cell_partition_stops_total: counter('Partitions that came to stand still.', 'state'),
  cell_partition_stops_accepted_total: counter(
    'Partitions that went on as an operator said.',
    'state',
  ),
  cell_room_load_ms: duration('Rooms rebuilt from snapshot and log.'),
  cell_rooms_broken_total: counter('Rooms that could not be rebuilt and stand still.'),
  cell_rtc_removals_total: counter(
    'Users put out of RTC at once, by how the call ended.',
    'outcome',
  ),
  cell_rooms_evicted_total: counter('Idle rooms that left memory.'),
  cell_reads_total: counter('Reads of rooms at their owner.', 'kind', 'outcome'),
  cell_read_ms: duration('Reads of rooms, passed on ones included.', 'kind'),
  cell_reads_forwarded_total: counter('Reads passed on, by how their owner was found.', 'by'),
  cell_reads_waited_total: counter('Reads that waited for memory to show what MySQL has.'),
  cell_watches_open: gauge('Watches that are served or passed on.'),
  cell_watches_total: counter('Watches that ended, by how.', 'outcome'),
  cell_snapshot_ms: duration('Snapshots written.'),
  cell_snapshot_failures_total: counter('Snapshots that were not written.'),
  cell_snapshot_waits_given_up_total: counter('Answers that waited for a snapshot in vain.'),
  cell_sweeps_total: counter('Users and mic sessions found stale by looks at rooms.', 'kind'),
  cell_intake_breaks_total: counter('Looks by which nobody could be found stale for a while.'),
  cell_charge_ms: duration('Gifts between the look at MySQL and the wallet’s last answer.', 'end'),
  cell_charges_in_flight: gauge('Gifts that wait for the wallet.'),
  cell_debits_unknown_total: counter('Debits without a certain answer.'),
  cell_draws_unknown_total: counter('Calls for draws of lucky gifts that ended in doubt.'),
  cell_prizes_pending_total: counter('Prizes that were not certainly paid with their gift.'),
  cell_wallet_conflicts_total: counter('Receipts that cannot be honoured.', 'cause'),
  cell_settlements_total: counter('Voids of debits owed back, by how they ended.', 'ended'),
  cell_lease_foreign_total: counter('Rooms whose lease in Redis named somebody else.'),
  cell_lease_overwritten_total: counter('Leases overwritten after MySQL said that they are ours.'),
  cell_lease_unreachable_total: counter('Leases that Redis did not answer for.'),
  cell_displays_total: counter('Displays that left by the display lane.', 'type'),
  cell_displays_suppressed_total: counter('Displays of types that are never sent.', 'type'),
  cell_displays_unpaced_total: counter('Displays for whose window there was no place.'),
  cell_retries_total: counter('Tries that met an outage.', 'what'),
};

const ofProjections: Rows = {
  projection_list_copies_total: counter('Changed rooms copied into the list cache.', 'outcome'),
  projection_board_copies_total: counter('Rooms brought to the boards.', 'outcome'),
  projection_list_passes_total: counter('Full passes over the room list.', 'outcome'),
  projection_list_pass_ms: duration('Full passes that ended.'),
};

const ofOutbox: Rows = {
  relay_claim_ms: duration('Claims of outbox rows.'),
  relay_publish_ms: duration('Rounds of publishing.'),
  relay_rows_total: counter('Rows published, by outcome.', 'destination', 'outcome'),
  relay_troubles_total: counter('Rounds that met an outage.', 'what'),
  relay_blocked_rooms: gauge(
    'Rooms that wait behind a failed row, where that blocks.',
    'destination',
  ),
  relay_retention_passes_total: counter('Passes of retention, by how they ended.', 'ended'),
  relay_retired_rows_total: counter('Rows that left by retention.', 'kind'),
  relay_retention_unproven_rooms_total: counter(
    'Looks at rooms whose snapshots did not prove that their log may leave.',
  ),
  adapter_send_ms: duration('Sends, of one event or of a batch.', 'destination'),
  adapter_sends_total: counter(
    'Events sent, by outcome; of a batch those taken and the next.',
    'destination',
    'outcome',
  ),
  adapter_batches_total: counter(
    'Batches sent, by how much of them was taken: all, the front or none.',
    'destination',
    'taken',
  ),
  adapter_rows_total: counter('Rows by the state they went to.', 'destination', 'ended'),
  adapter_repeats_total: counter('Events not sent because they had arrived.', 'destination'),
  adapter_superseded_total: counter('IM messages too late to be of use.', 'destination'),
  adapter_launches_asked_total: counter('Wake-ups for rockets that were asked for.', 'outcome'),
  adapter_late_rows_total: counter('Rows whose claim was another’s by then.', 'destination'),
  adapter_lost_finishes_total: counter('Runs whose end came after their claim.', 'destination'),
  adapter_im_bans_total: counter('Bans from IM groups and their ends that ended, by how.', 'how'),
  adapter_rtc_removals_total: counter('Removals from RTC that ended, by how.', 'how'),
  adapter_displays_total: counter(
    'Displays that came to the IM adapter, by how they ended.',
    'outcome',
  ),
  adapter_store_retries_total: counter('Tries that met an outage.', 'destination', 'what'),
};

const ofKafka: Rows = {
  kafka_produce_ms: duration('Sends to the brokers.', 'topic'),
  kafka_produced_total: counter('Records sent, by outcome.', 'topic', 'outcome'),
  kafka_produce_refused_total: counter('Records refused before a send.', 'why'),
  kafka_displays_total: counter('Displays handed to a broker, by how that ended.', 'outcome'),
  kafka_displays_dropped_total: counter('Displays dropped before a send.', 'why'),
  kafka_displays_unreadable_total: counter('Display records without a room or a value.'),
  kafka_replies_dropped_total: counter('Replies dropped before a send.', 'why'),
  kafka_replies_unreadable_total: counter('Reply records without a key or a value.'),
  kafka_out_of_range_total: counter('Offsets that the log no longer holds.', 'topic'),
  kafka_hint_failed_total: counter('Group offsets that were not stored.', 'topic'),
  kafka_consumer_replaced_total: counter('Consumers that ended and were replaced.', 'group'),
  kafka_event_batch_retried_total: counter('Batches of events that come again.', 'group'),
  kafka_event_commit_failed_total: counter('Event offsets that were not stored.', 'group'),
  kafka_events_unreadable_total: counter('Event records that are none of ours.', 'group'),
};

const ofRedis: Rows = {
  redis_call_ms: duration('Calls of Redis.'),
  redis_calls_total: counter('Calls of Redis, by outcome.', 'outcome'),
  redis_breaker_opened_total: counter('Times that Redis was left alone for a while.'),
  wake_hints_total: counter('Wake hints, by outcome.', 'topic', 'outcome'),
};

/** See the file header. Durations are in milliseconds. */
export const metricTable: Rows = {
  ...ofProcess,
  ...ofGateway,
  ...ofCell,
  ...ofProjections,
  ...ofOutbox,
  ...ofKafka,
  ...ofRedis,
};
