/** What every RtcUserRemover must do, told by what the vendor's stand-in has seen. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RoomId, UserId } from '../../../src/domain/ids.ts';
import type { RtcStandIn } from '../../../src/drivers/delivery-stand-in/rtc-stand-in.ts';
import type { SendOutcome } from '../../../src/ports/im-client.ts';
import type { RtcUserRemover } from '../../../src/ports/rtc-user-remover.ts';

/** A remover of one RTC application and the stand-in that it talks to. */
export interface RtcUserRemoverFixture {
  readonly remover: RtcUserRemover;
  readonly standIn: RtcStandIn;
  readonly sdkAppId: number;
  /** Bound of one call. */
  readonly callTimeoutMs: number;
  /** Lets so much time pass for both. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** What a busy machine may add to a bound. */
const slackMs = 400;
const done = { kind: 'done' };

/** Declares the suite. */
export function rtcUserRemoverContract(
  name: string,
  makeFixture: () => Promise<RtcUserRemoverFixture>,
): void {
  describe(`RtcUserRemover contract: ${name}`, () => {
    let fixture: RtcUserRemoverFixture;
    let rooms = 0;
    beforeAll(async () => {
      fixture = await makeFixture();
    });
    // The stand-in counts the requests of a second, as the vendor does.
    beforeEach(async () => {
      fixture.standIn.faults.clear();
      await fixture.pass(1_000);
    });
    afterAll(() => fixture.close());

    const remove = (room: string, user = 'u1'): Promise<SendOutcome> =>
      fixture.remover.removeUser(room as RoomId, user as UserId);
    const freshRoom = (...users: string[]): string => {
      const room = `r${(rooms += 1)}`;
      for (const user of users) fixture.standIn.enter(fixture.sdkAppId, room, user);
      return room;
    };
    const inside = (room: string): readonly string[] =>
      fixture.standIn.show().rooms.find(({ room_id }) => room_id === room)?.users ?? [];
    const order = (
      ordered: Omit<Parameters<RtcStandIn['faults']['add']>[0], 'times'> & {
        times?: number | null;
      },
    ): void => {
      expect(fixture.standIn.faults.add({ times: 1, ...ordered })).toBe(true);
    };
    /** The outcome of a call that must end within its bound, while the time is let pass. */
    const inTime = async (call: Promise<SendOutcome>): Promise<SendOutcome> => {
      let outcome: SendOutcome | null = null;
      void call.then((ended) => (outcome = ended));
      await fixture.pass(fixture.callTimeoutMs + slackMs);
      expect(outcome).not.toBeNull();
      return call;
    };

    it('puts the user out of the room, and nobody else out of it or other rooms', async () => {
      const [room, other] = [freshRoom('u1', 'u2'), freshRoom('u1')];
      expect(await remove(room)).toEqual(done);
      expect([inside(room), inside(other)]).toEqual([['u2'], ['u1']]);
    });

    it('is done when the user is not there, and when the room is not (RTC-2)', async () => {
      const room = freshRoom('u2');
      expect(await remove(room)).toEqual(done);
      expect(await remove('nowhere')).toEqual(done);
      expect(inside(room)).toEqual(['u2']);
    });

    it('is done when it is asked again, and when a request arrives twice', async () => {
      const room = freshRoom('u1');
      order({ kind: 'twice' });
      expect(await remove(room)).toEqual(done);
      expect(await remove(room)).toEqual(done);
    });

    it('does not know what became of a call without an answer, done or not', async () => {
      const room = freshRoom('u1', 'u2');
      order({ kind: 'http_500' });
      expect(await remove(room)).toMatchObject({ kind: 'unknown' });
      expect(inside(room)).toEqual(['u1', 'u2']);
      order({ kind: 'cut_after_remove' });
      expect(await remove(room)).toMatchObject({ kind: 'unknown' });
      expect(inside(room)).toEqual(['u2']);
    });

    it('waits for a slow answer, and not beyond its bound', async () => {
      const room = freshRoom('u1');
      order({ kind: 'slow', delayMs: fixture.callTimeoutMs / 4 });
      expect(await inTime(remove(room))).toEqual(done);
      order({ kind: 'slow', delayMs: 20 * fixture.callTimeoutMs });
      expect(await inTime(remove(room))).toMatchObject({ kind: 'unknown' });
      order({ kind: 'hang' });
      expect(await inTime(remove(room))).toMatchObject({ kind: 'unknown' });
    });

    it('sorts refusals by whether a repeat can help', async () => {
      const room = freshRoom('u1');
      order({ kind: 'internal_error' });
      expect(await remove(room)).toMatchObject({ kind: 'retryable' });
      order({ kind: 'refuse' });
      expect(await remove(room)).toMatchObject({ kind: 'permanent' });
      order({ kind: 'throttle' });
      const throttled = await remove(room);
      expect(throttled).toMatchObject({ kind: 'throttled' });
      if (throttled.kind === 'throttled') expect(throttled.retryAfterMs).toBeGreaterThan(0);
      expect(inside(room)).toEqual(['u1']);
    });

    it('is throttled beyond twenty requests in a second', async () => {
      const room = freshRoom('u1');
      const ends = await Promise.all(Array.from({ length: 25 }, () => remove(room)));
      expect(ends.filter(({ kind }) => kind === 'throttled').length).toBeGreaterThan(0);
      expect(ends.filter(({ kind }) => kind === 'done')).toHaveLength(20);
    });
  });
}
