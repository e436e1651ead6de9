/** Keys of `robots`: what a cell plays of the apps' robots. By which rules says `roomcell robots`. */
import type { FieldTree } from './field-tree.ts';
import { boolean, duration, integer } from './fields.ts';

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
} satisfies FieldTree;
