/** Keys of `leaderboard`: the boards over rooms in Redis. */
import type { FieldTree } from './field-tree.ts';
import { boolean, duration } from './fields.ts';

/** See the file header. */
export const leaderboardFields = {
  enabled: boolean({
    about: 'Keep boards over rooms in Redis and show them. Off: GetLeaderboard is refused.',
    fallback: false,
  }),
  read_budget: duration({
    about: 'Longest wait for a page of a board; then it is refused.',
    fallback: '250ms',
    min: '1ms',
    max: '5s',
  }),
  copy_interval: duration({
    about: 'What was given is brought to the boards at most so often; so late may they be.',
    fallback: '1s',
    min: '10ms',
    max: '1m',
  }),
} satisfies FieldTree;
