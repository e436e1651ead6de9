/** Keys of `outbox_worker` (OCFG-2 to OCFG-9): the relay and the adapters' retries. */
import type { FieldTree } from './field-tree.ts';
import { boolean, choice, duration, integer } from './fields.ts';

const onFailed = (destination: string) =>
  choice({
    about:
      `What a failed row for ${destination} means for later ones of its room: skip lets them go on, ` +
      'block makes them wait for an operator.',
    words: ['skip', 'block'],
    fallback: 'skip',
  });

/** See the file header. Bad values are refused, never repaired (OCFG-10). */
export const outboxWorkerFields = {
  enabled: boolean({
    about: 'Claim and publish outbox rows. Off: rows gather, nothing is lost.',
    fallback: true,
  }),
  poll_interval: duration({
    about: 'Pause between polls when there is nothing to do.',
    fallback: '1s',
    min: '10ms',
    max: '1m',
  }),
  batch_size: integer({
    about: 'Most rows claimed in one round.',
    fallback: 100,
    min: 1,
    max: 10000,
  }),
  run_size: integer({
    about: 'Most rows of one room and destination in one claim.',
    fallback: 10,
    min: 1,
    max: 1000,
  }),
  unconfirmed_max: integer({
    about: 'Rows of one destination that may wait for their adapter.',
    fallback: 1000,
    min: 1,
    max: 100000,
  }),
  publish_timeout: duration({
    about: 'Deadline for one send, of one row or of a batch.',
    fallback: '3s',
    min: '50ms',
    max: '1m',
  }),
  claim_lock: duration({
    about: 'Time after which anybody may claim the rows of a silent worker.',
    fallback: '1m30s',
    min: '1s',
    max: '1h',
  }),
  retry_strategy: choice({
    about: 'How the pause between tries grows.',
    words: ['exponential_backoff'],
    fallback: 'exponential_backoff',
  }),
  max_retry_count: integer({
    about: 'Failures after which a row is failed and waits for a person.',
    fallback: 10,
    min: 1,
    max: 1000,
  }),
  initial_backoff: duration({
    about: 'Pause after the first failure.',
    fallback: '5s',
    min: '10ms',
    max: '1h',
  }),
  max_backoff: duration({
    about: 'Longest pause between two tries.',
    fallback: '5m',
    min: '10ms',
    max: '24h',
  }),
  started_max: integer({
    about: 'Starts without an end after which a row counts as the killer of its worker.',
    fallback: 3,
    min: 2,
    max: 100,
  }),
  on_failed: {
    im: onFailed('im'),
    activity: onFailed('activity'),
    rtc: onFailed('rtc'),
  },
} satisfies FieldTree;
