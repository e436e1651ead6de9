/** The removal from RTC right after COMMIT: best effort, and nobody waits for it. */
import { describe, expect, it } from 'vitest';
import type { AppCode, RoomId, UserId } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { RtcAtOnce } from '../../../src/cell/rtc-at-once.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import type { RoomState } from '../../../src/domain/room/state.ts';
import { given } from '../../support/decider-spec.ts';
import { alice, created, joined } from '../../support/room-builders.ts';
import { settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import type { SendOutcome } from '../../../src/ports/im-client.ts';

const roomOf = (appCode: string, state: RoomState) => ({
  key: roomKeyOf(appCode as AppCode, 'r1' as RoomId),
  state,
});
const room = roomOf('app1', given(created()).state);
const byUserId = 'boss' as UserId;
const kick = (user: string): RoomEvent => ({
  type: 'RoomUserKicked',
  userId: user as UserId,
  byUserId,
  reason: '',
  expiresAtMs: 0,
});

function rig(end: () => Promise<SendOutcome>) {
  const log = new MemoryLog();
  const removed: string[] = [];
  const counted: string[] = [];
  const removeUser = (room: string, user: string): Promise<SendOutcome> => {
    removed.push(`${room}/${user}`);
    return end();
  };
  const atOnce = new RtcAtOnce({
    rtcRemovers: new Map([['app1' as AppCode, { removeUser }]]),
    clock: { wallMs: () => 1_000 },
    log,
    metrics: {
      count: (_name, labels) => void counted.push(labels?.['outcome'] ?? ''),
      gauge: () => undefined,
      observeMs: () => undefined,
    },
  });
  return { atOnce, log, removed, counted };
}

/** A COMMIT as it is as a rule. */
const quickMs = 5;

describe('right after COMMIT', () => {
  it('a kicked and an evicted user are put out, and others left alone (RTC-1, CFG-7)', async () => {
    const r = rig(() => Promise.resolve({ kind: 'done' }));
    r.atOnce.committed(room, kick('u1'), quickMs);
    r.atOnce.committed(
      room,
      {
        type: 'RoomUserEvicted',
        userId: 'u2' as UserId,
        byUserId,
        reason: '',
      },
      quickMs,
    );
    r.atOnce.committed(
      room,
      {
        type: 'RoomUserLeft',
        userId: 'u3' as UserId,
        reason: 'left',
      },
      quickMs,
    );
    await settled();
    expect(r.removed).toEqual(['r1/u1', 'r1/u2']);
    expect(r.counted).toEqual(['done', 'done']);
  });

  it('a failure is counted and told, and ends there', async () => {
    const r = rig(() => Promise.resolve({ kind: 'unknown', cause: 'no answer' }));
    r.atOnce.committed(room, kick('u1'), quickMs);
    await settled();
    expect(r.counted).toEqual(['unknown']);
    expect(r.log.messages('warn')).toHaveLength(1);
  });

  it('an app without a remover has nobody put out (NEW-11)', () => {
    const r = rig(() => Promise.resolve({ kind: 'done' }));
    r.atOnce.committed(roomOf('app2', room.state), kick('u1'), quickMs);
    expect([r.removed, r.counted]).toEqual([[], []]);
  });

  it('a service that does not answer holds sixty-four calls, and the rest are the outbox’s', () => {
    const r = rig(() => new Promise(() => undefined));
    for (let n = 0; n < 70; n += 1) r.atOnce.committed(room, kick(`u${n}`), quickMs);
    expect(r.removed).toHaveLength(64);
    expect(r.counted).toEqual(Array(6).fill('too_many'));
  });

  it('asks for nobody behind a COMMIT that took long: they may be back by then', () => {
    const r = rig(() => Promise.resolve({ kind: 'done' }));
    r.atOnce.committed(room, kick('u1'), 501);
    expect(r.removed).toEqual([]);
    expect(r.counted).toEqual(['too_late']);
  });

  it('leaves alone who was let in again by the same transaction', () => {
    const r = rig(() => Promise.resolve({ kind: 'done' }));
    const inside = given(created(), joined(alice)).state;
    r.atOnce.committed(roomOf('app1', inside), kick(alice), quickMs);
    expect(r.removed).toEqual([]);
    expect(r.counted).toEqual(['back_again']);
  });
});
