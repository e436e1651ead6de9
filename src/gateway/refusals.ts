/** Failures of the catalogue, as the gateway throws them. */
import type { FailureFacts } from '../kernel/failure.ts';

export { refusal } from '../domain/refusal.ts';

/** Nothing reached the topic: the caller may send the same id again without any doubt. */
export const notProduced: FailureFacts = { produced: 'no' };
