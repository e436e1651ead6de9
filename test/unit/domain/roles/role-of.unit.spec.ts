/** Who may do what: every role against every rank (decision 13). */
import { describe, expect, it } from 'vitest';
import type { ActorRole } from '../../../../src/domain/room/commands.ts';
import {
  actsAsManager,
  actsFromAbove,
  refuseProtectedTarget,
  refuseUnlessManager,
  refuseUnlessOwner,
  roleOf,
} from '../../../../src/domain/roles/role-of.ts';
import { leaveRoom } from '../../../support/command-builders.ts';
import { commandOf, given } from '../../../support/decider-spec.ts';
import { adminSet, alice, bob, carol, created, owner } from '../../../support/room-builders.ts';

/** bob and carol are admins, alice is a member; nobody is present. */
const { state } = given(created(), [adminSet(bob), adminSet(carol)]);
const roles: readonly ActorRole[] = ['user', 'rtc', 'service', 'operator', 'system'];
const people = [owner, bob, alice];

/** One line per role, one letter per actor (owner, admin, member): + taken, - refused. */
function tableOf(isTaken: (command: ReturnType<typeof commandOf>) => boolean): readonly string[] {
  return roles.map((role) => {
    const marks = people.map((by) => (isTaken(commandOf(leaveRoom, { role, by })) ? '+' : '-'));
    return `${role} ${marks.join('')}`;
  });
}

describe('roleOf', () => {
  it('is the room’s own word, and presence has no part in it', () => {
    expect(people.map((userId) => roleOf(state, userId))).toEqual(['owner', 'admin', 'member']);
  });
});

describe('Acting from above and as a manager', () => {
  it('is a matter of the role first, of the rank in the room second', () => {
    expect(tableOf(actsFromAbove)).toEqual([
      'user ---',
      'rtc ---',
      'service +++',
      'operator +++',
      'system +++',
    ]);
    const managers = ['user ++-', 'rtc ++-', 'service +++', 'operator +++', 'system +++'];
    expect(tableOf((command) => actsAsManager(command, state))).toEqual(managers);
    expect(tableOf((command) => refuseUnlessManager(command, state) === null)).toEqual(managers);
    expect(tableOf((command) => refuseUnlessOwner(command, state) === null)).toEqual([
      'user +--',
      'rtc +--',
      'service +++',
      'operator +++',
      'system +++',
    ]);
  });

  it('a refusal names the actor and nothing else', () => {
    const command = commandOf(leaveRoom, { by: alice });
    const facts = { actor_user_id: 'alice' };
    expect(refuseUnlessManager(command, state)).toMatchObject({
      reason: 'NOT_ROOM_MANAGER',
      facts,
    });
    expect(refuseUnlessOwner(command, state)).toMatchObject({ reason: 'NOT_ROOM_OWNER', facts });
  });
});

describe('Acting against another', () => {
  const against = (target: typeof alice) =>
    tableOf((command) => refuseProtectedTarget(command, target, state) === null);

  it('members are protected from nobody who got so far', () => {
    expect(against(alice)).toEqual(roles.map((role) => `${role} +++`));
  });

  it('admins are protected from all but the owner and those above', () => {
    expect(against(carol)).toEqual([
      'user +--',
      'rtc +--',
      'service +++',
      'operator +++',
      'system +++',
    ]);
  });

  it('the owner is protected from everybody', () => {
    expect(against(owner)).toEqual(roles.map((role) => `${role} ---`));
  });
});
