/** Keys of `retention`: how long rows are kept that nobody works on any more (decision 16). */
import type { FieldTree } from './field-tree.ts';
import { boolean, duration, integer } from './fields.ts';

/** See the file header. Rows that are not done have no age here: they stay. */
export const retentionFields = {
  enabled: boolean({
    about: 'Remove old rows; done by the role relay. Off: the tables grow.',
    fallback: true,
  }),
  keep: duration({
    about:
      'Age from which log, events, delivered rows and settled debits leave. So long ids repeat.',
    fallback: '168h',
    min: '1s',
    max: '87600h',
  }),
  audit_keep: duration({
    about: 'Age from which acts of operators leave, and what they sent again. 0s: never.',
    fallback: '0s',
    min: '0s',
    max: '87600h',
  }),
  pass_interval: duration({
    about: 'Pause between two passes over the tables.',
    fallback: '10m',
    min: '10ms',
    max: '24h',
  }),
  page_pause: duration({
    about: 'Pause between two pages of a pass, so that it takes little of the server.',
    fallback: '20ms',
    min: '0s',
    max: '1m',
  }),
  page_rows: integer({
    about: 'Rows of one page.',
    fallback: 500,
    min: 1,
    max: 10000,
  }),
} satisfies FieldTree;
