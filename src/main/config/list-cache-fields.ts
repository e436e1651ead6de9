/** Keys of `list_cache`: the copy of the room list in Redis. */
import type { FieldTree } from './field-tree.ts';
import { boolean, duration } from './fields.ts';

/** See the file header. */
export const listCacheFields = {
  enabled: boolean({
    about: 'Keep a copy of the room list in Redis and list from it. Off: lists come from MySQL.',
    fallback: false,
  }),
  read_budget: duration({
    about: 'Longest wait for a page of the copy; then MySQL is asked.',
    fallback: '50ms',
    min: '1ms',
    max: '5s',
  }),
  copy_interval: duration({
    about: 'Changed rooms are copied at most so often; so late may a list be.',
    fallback: '1s',
    min: '10ms',
    max: '1m',
  }),
  look_interval: duration({
    about: 'How often it is looked whether a copy is there; a lost one is made anew.',
    fallback: '1s',
    min: '50ms',
    max: '1m',
  }),
  pass_interval: duration({
    about: 'Time after which a whole copy is made again, to put right what got lost on the way.',
    fallback: '30s',
    min: '1s',
    max: '1h',
  }),
} satisfies FieldTree;
