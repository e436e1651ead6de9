/** Keys of the room business and of the cell that executes it (CFG-2 to CFG-6, CFG-15). */
import type { FieldTree } from './field-tree.ts';
import { boolean, duration, integer, list } from './fields.ts';
import { giftOnSale, rocketAtStart } from './patterns.ts';

/** Top-level keys of the seeds. Values at or below zero mean the default (NEW-3 to NEW-7). */
export const roomFields = {
  lease_ttl: duration({
    about: 'Validity of a room’s owner lease in Redis. Has no default (NEW-8).',
    min: '1s',
    max: '10m',
  }),
  lease_renew_after: duration({
    about:
      'Age from which its next use renews a lease; at most, and with 0s, a third of lease_ttl.',
    fallback: '0s',
    min: '0s',
    max: '5m',
  }),
  rank_limit: integer({
    about: 'Places of a room’s gift rank that answers and views show.',
    fallback: 20,
    min: 1,
    // As many as a room keeps in order (`topGiftSendersMax`).
    max: 100,
    lowMeansFallback: true,
  }),
  snapshot_every_n: integer({
    about: 'Save a snapshot every so many versions of a room. Absent or not positive: every one.',
    fallback: 1,
    min: 1,
    max: 100000,
    lowMeansFallback: true,
  }),
  presence_stale_after: duration({
    about: 'Time without a heartbeat after which a user is taken out of the room.',
    fallback: '2m',
    min: '1s',
    max: '24h',
    lowMeansFallback: true,
  }),
  catalogue_at_start: list({
    about:
      'Gifts that cells put on sale when the app never had them: app_code/gift_id=coins, and /lucky behind a lucky one.',
    fallback: [],
    min: 0,
    item: giftOnSale,
  }),
  lucky_gift_send_lock_ttl: duration({
    about: 'Time after which the lock of a user who sends a lucky gift ends by itself.',
    fallback: '5s',
    min: '100ms',
    max: '1m',
    lowMeansFallback: true,
  }),
  rocket_at_start: list({
    about:
      'Rocket rules that cells store when the app never had any: ' +
      'app_code/reset/overflow=fuel:countdown_ms[:reward_id],…, one step per level.',
    fallback: [],
    min: 0,
    item: rocketAtStart,
  }),
  mic_publish_timeout: duration({
    about: 'Longest wait for the confirmation of RTC publishing after MicUp.',
    fallback: '15s',
    min: '100ms',
    max: '10m',
    lowMeansFallback: true,
  }),
  mic: {
    auto_confirm_on_heartbeat: boolean({
      about:
        'A mic heartbeat that says it publishes confirms its session like ConfirmMicPublishing.',
      fallback: false,
    }),
  },
  mic_heartbeat_stale_after: duration({
    about: 'Silence after which a session that sends mic heartbeats is taken off its seat.',
    fallback: '60s',
    min: '1s',
    max: '24h',
  }),
  mic_request_timeout: duration({
    about: 'Time for which an application for the mic, or an invitation, waits for its answer.',
    fallback: '60s',
    min: '1s',
    max: '24h',
  }),
  close_grace: duration({
    about: 'Time between CloseRoom and the end of the room. 0s: at once.',
    fallback: '0s',
    min: '0s',
    max: '24h',
  }),
  rtc_clock_skew: duration({
    about: 'How far the RTC service’s clock may be behind when it tells that audio started.',
    fallback: '2s',
    min: '0s',
    max: '1m',
  }),
  password_attempts: integer({
    about: 'Wrong passwords of a user within the window, from which on none is looked at.',
    fallback: 5,
    min: 1,
    max: 1000,
  }),
  password_attempt_window: duration({
    about: 'Window of time in which wrong passwords of a user are counted.',
    fallback: '10m',
    min: '1s',
    max: '24h',
  }),
} satisfies FieldTree;

/** Keys of `cell`. */
export const cellFields = {
  batch_commands_max: integer({
    about: 'Commands in one transaction.',
    fallback: 200,
    min: 1,
    max: 5000,
  }),
  batch_bytes_max: integer({
    about: 'Bytes of records in one transaction; stay far below max_allowed_packet.',
    fallback: 1048576,
    min: 16384,
    max: 8388608,
  }),
  partition_high_water: integer({
    about: 'Unsettled records of a partition at which delivery pauses.',
    fallback: 2000,
    min: 2,
    max: 100000,
  }),
  partition_low_water: integer({
    about: 'Unsettled records of a partition at which delivery goes on.',
    fallback: 500,
    min: 1,
    max: 100000,
  }),
  intake_bytes_max: integer({
    about: 'Bytes of unsettled records on a cell at which all its partitions pause, until half.',
    fallback: 67108864,
    min: 1048576,
    max: 8589934592,
  }),
  room_queue_max: integer({
    about: 'Commands of one room that may wait; one more is answered ROOM_BUSY.',
    fallback: 200,
    min: 1,
    max: 10000,
  }),
  concurrent_loads_max: integer({
    about: 'Rooms loaded from MySQL at the same time.',
    fallback: 8,
    min: 1,
    max: 256,
  }),
  resident_rooms_max: integer({
    about: 'Rooms kept in memory; the least recently used leave first.',
    fallback: 10000,
    min: 1,
    max: 1000000,
  }),
  watchers_max: integer({
    about:
      'Watched rooms, one for each watcher, that a cell serves or passes on; one more is refused.',
    fallback: 10000,
    min: 1,
    max: 1000000,
  }),
  watchers_per_room_max: integer({
    about: 'Watchers of one room; one more is refused.',
    fallback: 2000,
    min: 1,
    max: 100000,
  }),
  reads_max: integer({
    about: 'Reads that a cell answers or passes on at the same time; one more is refused.',
    fallback: 2000,
    min: 1,
    max: 100000,
  }),
  snapshots_kept: integer({
    about: 'Snapshots kept per room; recovery falls back to the older one.',
    fallback: 2,
    min: 2,
    max: 10,
  }),
  lease_budget: duration({
    about: 'Most time that Redis may cost one batch.',
    fallback: '20ms',
    min: '1ms',
    max: '1s',
  }),
  offset_flush: duration({
    about: 'Longest time that an advanced offset stays unwritten, and a lost partition unnoticed.',
    fallback: '5s',
    min: '100ms',
    max: '1m',
  }),
  deadline_poll: duration({
    about: 'Pace at which due deadlines of rooms that are not in memory are looked up.',
    fallback: '1s',
    min: '50ms',
    max: '1m',
  }),
  release_mark_wait: duration({
    about: 'Wait for the former owner’s release mark after an orderly rebalance.',
    fallback: '500ms',
    min: '0s',
    max: '10s',
  }),
  retake_pause: duration({
    about: 'Pause before a lost but still assigned partition is taken over again.',
    fallback: '1s',
    min: '50ms',
    max: '1m',
  }),
  clock_off_max: duration({
    about: 'Most by which a cell’s clock may differ from MySQL’s; beyond it the cell leaves.',
    fallback: '2s',
    min: '100ms',
    max: '1m',
  }),
  clock_right_for: duration({
    about: 'How long a clock that was off must be right before the cell comes back.',
    fallback: '30s',
    min: '1s',
    max: '1h',
  }),
  consumer_silent_after: duration({
    about: 'How long records may wait in the log undelivered before the process ends as dead.',
    fallback: '60s',
    min: '10s',
    max: '1h',
  }),
  charge_budget: duration({
    about: 'Time for one gift’s wallet calls; then it is rejected and its debit given back.',
    fallback: '5s',
    min: '100ms',
    max: '1m',
  }),
  prize_budget: duration({
    about: 'Time for the prizes of one lucky gift; those not paid by then are paid later.',
    fallback: '1s',
    min: '50ms',
    max: '10s',
  }),
  charges_per_room_max: integer({
    about: 'Gifts of one room that are charged at the same time, one per sender; others wait.',
    fallback: 8,
    min: 1,
    max: 64,
  }),
  charges_max: integer({
    about: 'Gifts of one node that are charged at the same time; others wait.',
    fallback: 512,
    min: 1,
    max: 10000,
  }),
  settlement_poll: duration({
    about: 'Pace at which debits that are owed back are looked up.',
    fallback: '1s',
    min: '50ms',
    max: '1m',
  }),
  im_useful_for: duration({
    about: 'Time within which an IM message about something a snapshot repairs is of use.',
    fallback: '2m',
    min: '1s',
    max: '24h',
  }),
} satisfies FieldTree;

/** Keys of `limits`. */
export const limitFields = {
  users_per_room_max: integer({
    about: 'Users in one room; one more is refused ROOM_FULL.',
    fallback: 10000,
    min: 1,
    max: 100000,
  }),
  events_per_command_max: integer({
    about: 'Events that one command may make; more are refused RESULT_TOO_LARGE.',
    fallback: 256,
    // Above the most seats of a room, as closing one frees every seat in one command, and above the
    // most targets of a gift, so that none is refused for its size after it was paid.
    min: 64,
    max: 10000,
  }),
} satisfies FieldTree;
