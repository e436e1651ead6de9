/**
 * Who may speak for whom, judged before anything is parsed further or produced. A user acts only as
 * itself in its app; a service and an operator may name any actor of their app.
 */
import type { ActorRole } from '../domain/room/commands.ts';
import type { CallFrame, Caller } from '../ports/room-api.ts';
import { refusal } from './refusals.ts';

/** The actor that a call speaks for; the id is still unchecked text. */
export interface AuthorizedActor {
  readonly role: Exclude<ActorRole, 'system'>;
  readonly actorUserId: string;
}

/** The caller, if its token is good and of this app. Throws UNAUTHENTICATED, PERMISSION_DENIED. */
export function authorizeApp(frame: CallFrame, appCode: string): Caller {
  const { caller } = frame;
  if (caller === null) throw refusal('UNAUTHENTICATED', { fault: frame.authFault });
  // An empty app code is a forgotten field and not another app; it says so instead of "denied".
  if (appCode === '') throw refusal('INVALID_FIELD', { field: 'app_code', fault: 'missing' });
  if (caller.appCode !== appCode) throw refusal('PERMISSION_DENIED', { fault: 'other_app' });
  return caller;
}

/** Whom a command or heartbeat speaks for. Throws like `authorizeApp`. */
export function authorizeActor(
  frame: CallFrame,
  meta: { readonly appCode: string; readonly actorUserId: string },
): AuthorizedActor {
  const { role, subject } = authorizeApp(frame, meta.appCode);
  if (role === 'user' && meta.actorUserId !== '' && meta.actorUserId !== subject) {
    throw refusal('PERMISSION_DENIED', { fault: 'other_user' });
  }
  // A service acts for users and is none: without a name it would join the room itself by mistake.
  // Its empty actor stays empty and is refused as a missing field.
  const actorUserId = meta.actorUserId === '' && role !== 'service' ? subject : meta.actorUserId;
  return { role, actorUserId };
}
