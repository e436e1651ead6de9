/** Answers over gRPC, back in the words of the stored results: what was shown comes back as it was. */
import { describe, expect, it } from 'vitest';
import type { ResultRecord } from '../../../src/protocol/records.ts';
import { asShown } from './as-shown.ts';

function overTheWire(outcome: 'applied' | 'no_effect', fields: object): ResultRecord {
  const roomVersion = 7n as ResultRecord['roomVersion'];
  return asShown({ outcome, roomVersion, reason: '', facts: {}, fields });
}

const profile = { nickname: 'n', avatarUrl: '', countryCode: 'de', ext: '' };

describe('results over gRPC', () => {
  it.each([
    ['of nothing but a version', {}],
    ['of a join', { user: { userId: 'u1', profile, isRobot: false, joinedAtMs: 17 } }],
    ['of a mic session', { seatNo: 2, micSessionId: 's1', publishDeadlineMs: 99 }],
    [
      'of a gift that left nothing',
      {
        ...{ billingReceiptId: 'b1', coinBalanceAfter: 0n, giftIncomeBalanceAfter: 5n },
        ...{ roomHeat: 5n, giftRank: [{ userId: 'u1', coins: 5n, rank: 1 }] },
      },
    ],
  ])('come back %s', (_, fields) => {
    const { outcome, roomVersion, fields: read } = overTheWire('applied', fields);
    expect({ outcome, roomVersion }).toEqual({ outcome: 'applied', roomVersion: 7n });
    expect(read).toEqual(fields);
  });

  it('tell a command without effect from one that was applied', () => {
    expect(overTheWire('no_effect', {}).outcome).toBe('no_effect');
  });

  it('do not show at which version a user came', () => {
    const user = { userId: 'u1', profile, isRobot: true, joinedAtMs: 17, joinedAtVersion: 3n };
    expect(overTheWire('applied', { user }).fields.user).not.toHaveProperty('joinedAtVersion');
  });
});
