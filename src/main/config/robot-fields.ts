/** Keys of `robots`: what a cell plays of the apps' robots. By which rules says `roomcell robots`. */
import type { FieldTree } from './field-tree.ts';
import { boolean, duration, integer, text } from './fields.ts';
import { userId } from './patterns.ts';

/** See the file header. */
export const robotFields = {
  enabled: boolean({
    about: 'Play the robots of apps that have rules for them. Robots that are in rooms stay there.',
    fallback: false,
  }),
  scan_interval: duration({
    about: 'How often a cell looks where robots are wanted, and whether their rules have changed.',
    fallback: '10s',
    min: '100ms',
    max: '10m',
  }),
  rooms_max: integer({
    about: 'Rooms of one cell that robots act in; one more has none.',
    fallback: 2000,
    min: 1,
    max: 100000,
  }),
  gifts_count: boolean({
    about:
      'Whether gifts of robots count for heat, rank, gift sums and weeks. Each gift keeps how it was ' +
      'counted.',
    fallback: false,
  }),
  wallet_account: text({
    about:
      'User id of the account in each app’s wallet that pays for gifts of robots, so that nobody earns by ' +
      'them; empty: each robot pays from its own. One that changes gives debits back that are on their way.',
    fallback: '',
    pattern: userId,
  }),
} satisfies FieldTree;
