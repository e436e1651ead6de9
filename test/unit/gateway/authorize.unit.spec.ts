/** Who may speak for whom. */
import { describe, expect, test } from 'vitest';
import { authorizeActor, authorizeApp } from '../../../src/gateway/authorize.ts';
import { backend, frame, meta, user } from './gateway-fakes.ts';

const operator = { ...user, subject: 'op1', role: 'operator' as const };

describe('a call without a good token', () => {
  test('is unauthenticated and says what is wrong with the token', () => {
    const nobody = frame({ caller: null, authFault: 'token expired' });
    expect(() => authorizeActor(nobody, meta())).toThrow(
      expect.objectContaining({ reason: 'UNAUTHENTICATED', facts: { fault: 'token expired' } }),
    );
  });
});

describe('a user', () => {
  test('acts as itself when it names no actor', () => {
    expect(authorizeActor(frame(), meta())).toEqual({ role: 'user', actorUserId: 'u1' });
  });

  test('may name itself', () => {
    expect(authorizeActor(frame(), meta({ actorUserId: 'u1' })).actorUserId).toBe('u1');
  });

  test('may not act as another user', () => {
    expect(() => authorizeActor(frame(), meta({ actorUserId: 'u2' }))).toThrow(
      expect.objectContaining({ reason: 'PERMISSION_DENIED' }),
    );
  });

  test('may not act in another app', () => {
    expect(() => authorizeApp(frame(), 'app2')).toThrow(
      expect.objectContaining({ reason: 'PERMISSION_DENIED', facts: { fault: 'other_app' } }),
    );
  });
});

describe('a service', () => {
  test('names any actor of its app', () => {
    const actor = authorizeActor(frame({ caller: backend }), meta({ actorUserId: 'u9' }));
    expect(actor).toEqual({ role: 'service', actorUserId: 'u9' });
  });

  test('never becomes an actor itself: without a name the actor stays empty', () => {
    expect(authorizeActor(frame({ caller: backend }), meta()).actorUserId).toBe('');
  });

  test('may not act in another app', () => {
    const call = (): unknown => authorizeActor(frame({ caller: backend }), meta({ appCode: 'x' }));
    expect(call).toThrow(expect.objectContaining({ reason: 'PERMISSION_DENIED' }));
  });
});

test('an operator acts as itself or names another actor', () => {
  const calls = [meta(), meta({ actorUserId: 'u9' })];
  const actors = calls.map((call) => authorizeActor(frame({ caller: operator }), call));
  expect(actors.map(({ actorUserId }) => actorUserId)).toEqual(['op1', 'u9']);
});
