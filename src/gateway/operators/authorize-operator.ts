/** Who may do what operators do, judged before anything else of the request is looked at. */
import type { OperatorMeta } from '../../ports/operator-api.ts';
import type { CallFrame } from '../../ports/room-api.ts';
import { authorizeApp } from '../authorize.ts';
import { refusal } from '../refusals.ts';

/**
 * The operator's id, still unchecked text. Throws UNAUTHENTICATED, or PERMISSION_DENIED for another
 * app, another role, or another name than the token's: the audit must not say what a caller likes.
 * Only where no tokens are asked for, the request names the operator.
 */
export function authorizeOperator(
  frame: CallFrame,
  meta: Pick<OperatorMeta, 'appCode' | 'actorUserId'>,
): string {
  const { role, subject } = authorizeApp(frame, meta.appCode);
  if (role !== 'operator') throw refusal('PERMISSION_DENIED', { fault: 'no_operator' });
  if (subject === '') return meta.actorUserId;
  if (meta.actorUserId !== '' && meta.actorUserId !== subject) {
    throw refusal('PERMISSION_DENIED', { fault: 'other_user' });
  }
  return subject;
}
