/** What every ImClient must do, told by what the vendor's stand-in has seen. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImStandIn } from '../../../src/drivers/delivery-stand-in/im-stand-in.ts';
import type { GroupMessage, ImClient, SendOutcome } from '../../../src/ports/im-client.ts';
import { memberBanContract } from './member-ban-contract.ts';

/** A client and the stand-in that it talks to, over whatever lies between them. */
export interface ImClientFixture {
  readonly client: ImClient;
  readonly standIn: ImStandIn;
  /** Bound of one call. */
  readonly callTimeoutMs: number;
  /** Lets so much time pass for both. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** What a busy machine may add to a bound. */
const slackMs = 400;

/** Declares the suite. */
export function imClientContract(name: string, makeFixture: () => Promise<ImClientFixture>): void {
  describe(`ImClient contract: ${name}`, () => {
    let fixture: ImClientFixture;
    let groups = 0;
    beforeAll(async () => {
      fixture = await makeFixture();
    });
    beforeEach(() => fixture.standIn.faults.clear());
    afterAll(() => fixture.close());

    const done = { kind: 'done' };
    const send = (message: GroupMessage) => fixture.client.sendGroupMessage(message);
    const order = fault(() => fixture.standIn);
    const freshGroup = async (): Promise<string> => {
      const groupId = `rc_app1_g${(groups += 1)}`;
      expect(await fixture.client.ensureGroup(groupId, 'Evening talk')).toEqual(done);
      return groupId;
    };
    const messageOf = (groupId: string, event: string, random = 7): GroupMessage => ({
      groupId,
      random,
      priority: 'Normal',
      data: JSON.stringify({ event_id: event, app_code: 'app1', room_id: groupId }),
    });
    const seen = (groupId: string) => {
      const room = fixture.standIn.received.show().rooms.find((one) => one.room_id === groupId);
      return room?.events ?? [];
    };
    const shown = (groupId: string) =>
      fixture.standIn.groups.show().find((group) => group.group_id === groupId);
    const messagesIn = (groupId: string) => shown(groupId)?.messages;
    /** The outcome of a call that must end within its bound, while the time is let pass. */
    const inTime = async (call: Promise<SendOutcome>): Promise<SendOutcome> => {
      let outcome: SendOutcome | null = null;
      void call.then((ended) => (outcome = ended));
      await fixture.pass(fixture.callTimeoutMs + slackMs);
      expect(outcome).not.toBeNull();
      return call;
    };

    it('makes a group, and is done when it is there already (PUB-8, PUB-2, EXT-2)', async () => {
      const groupId = await freshGroup();
      expect(await fixture.client.ensureGroup(groupId, 'Evening talk')).toEqual(done);
      expect(messagesIn(groupId)).toBe(0);
    });

    it('finds a group that somebody else made only if it is of our kind', async () => {
      const groupId = await freshGroup();
      order({ kind: 'error_code', code: 10021, command: 'create_group', times: 2 });
      expect(await fixture.client.ensureGroup(groupId, 'One')).toEqual(done);
      expect(await fixture.client.ensureGroup('rc_app1_nobody', 'One')).toMatchObject({
        kind: 'permanent',
      });
    });

    it('sends a message once, however often it is asked with the same bytes (ARC-7, ARC-11)', async () => {
      const groupId = await freshGroup();
      for (let ask = 0; ask < 3; ask += 1) {
        expect(await send(messageOf(groupId, 'e1'))).toEqual(done);
      }
      expect(messagesIn(groupId)).toBe(1);
      expect(seen(groupId)).toMatchObject([{ event_id: 'e1', repeats: 0, deduplicated: 2 }]);
    });

    it('sends another number, other bytes and another group as other messages', async () => {
      const [one, other] = [await freshGroup(), await freshGroup()];
      const message = messageOf(one, 'e2', 1);
      const all = [
        message,
        { ...message, random: 2 },
        { ...message, data: `${message.data} ` },
        { ...message, groupId: other },
      ];
      for (const each of all) expect(await send(each)).toEqual(done);
      expect([messagesIn(one), messagesIn(other)]).toEqual([3, 1]);
    });

    it('notifies a group each time that it is asked', async () => {
      const groupId = await freshGroup();
      const { data } = messageOf(groupId, 'e3');
      for (let ask = 0; ask < 2; ask += 1) {
        expect(await fixture.client.sendGroupNotification(groupId, data)).toEqual(done);
      }
      expect(seen(groupId)).toMatchObject([{ event_id: 'e3', notifications: 2 }]);
    });

    it('makes a missing group once and sends after all; missing again is for ever', async () => {
      expect(await send(messageOf('rc_app1_lost', 'e4'))).toEqual(done);
      expect(messagesIn('rc_app1_lost')).toBe(1);
      order({ kind: 'error_code', code: 10010, command: 'send_group_msg', times: 2 });
      expect(await send(messageOf('rc_app1_lost', 'e5'))).toMatchObject({ kind: 'permanent' });
    });

    it('dissolves a group for good, and is done when it is not there', async () => {
      const groupId = await freshGroup();
      for (let ask = 0; ask < 2; ask += 1) {
        expect(await fixture.client.dissolveGroup(groupId)).toEqual(done);
        expect(messagesIn(groupId)).toBeUndefined();
      }
      order({ kind: 'cut_after_store', command: 'destroy_group' });
      expect(await fixture.client.dissolveGroup(await freshGroup())).toMatchObject({
        kind: 'unknown',
      });
      order({ kind: 'error_code', code: 10007, command: 'destroy_group' });
      expect(await fixture.client.dissolveGroup(groupId)).toMatchObject({ kind: 'permanent' });
    });

    it('does not know what became of a call without an answer, done or not', async () => {
      const groupId = await freshGroup();
      order({ kind: 'http_502' });
      expect(await send(messageOf(groupId, 'e6'))).toMatchObject({ kind: 'unknown' });
      expect(messagesIn(groupId)).toBe(0);
      order({ kind: 'cut_after_store' });
      expect(await send(messageOf(groupId, 'e6'))).toMatchObject({ kind: 'unknown' });
      expect(await send(messageOf(groupId, 'e6'))).toEqual(done);
      expect(messagesIn(groupId)).toBe(1);
    });

    it('waits for a slow answer, and not beyond its bound', async () => {
      const groupId = await freshGroup();
      order({ kind: 'slow', delayMs: fixture.callTimeoutMs / 4 });
      expect(await inTime(send(messageOf(groupId, 'e7')))).toEqual(done);
      order({ kind: 'slow', delayMs: 20 * fixture.callTimeoutMs });
      expect(await inTime(send(messageOf(groupId, 'e8')))).toMatchObject({ kind: 'unknown' });
      expect(messagesIn(groupId)).toBe(2);
      order({ kind: 'hang' });
      expect(await inTime(send(messageOf(groupId, 'e9')))).toMatchObject({ kind: 'unknown' });
    });

    it('keeps one bound over all requests of a call', async () => {
      order({ kind: 'slow', delayMs: fixture.callTimeoutMs * 0.6, times: null });
      let endedAfter = 0;
      const call = send(messageOf('rc_app1_slow', 'e10')).finally(() => (endedAfter += 1));
      await fixture.pass(fixture.callTimeoutMs + slackMs / 2);
      expect(endedAfter).toBe(1);
      expect(await call).toMatchObject({ kind: 'unknown' });
    });

    it('takes a request that arrives twice for one message', async () => {
      const groupId = await freshGroup();
      order({ kind: 'twice' });
      expect(await send(messageOf(groupId, 'e11'))).toEqual(done);
      expect(messagesIn(groupId)).toBe(1);
    });

    it('is throttled with a pause, also where the answer says OK', async () => {
      const groupId = await freshGroup();
      const throttled = { kind: 'throttled', error: expect.any(String) };
      for (const ordered of [
        { kind: 'error_code', code: 10023 } as const,
        { kind: 'drop' } as const,
      ]) {
        order(ordered);
        const outcome = await send(messageOf(groupId, 'e12'));
        expect(outcome).toMatchObject(throttled);
        if (outcome.kind === 'throttled') expect(outcome.retryAfterMs).toBeGreaterThan(0);
      }
      expect(messagesIn(groupId)).toBe(0);
    });

    it('sorts refusals by whether a repeat can help', async () => {
      const groupId = await freshGroup();
      const kindOf = async (code: number): Promise<string> => {
        order({ kind: 'error_code', code });
        return (await send(messageOf(groupId, 'e13'))).kind;
      };
      expect(await kindOf(10002)).toBe('retryable');
      expect(await kindOf(123_456)).toBe('retryable');
      expect(await kindOf(10004)).toBe('permanent');
      expect(await kindOf(10036)).toBe('permanent');
      const tooLong = { ...messageOf(groupId, 'e13'), data: 'x'.repeat(13_000) };
      expect(await send(tooLong)).toMatchObject({ kind: 'permanent' });
    });

    it('throws nothing while the vendor is down', async () => {
      const groupId = await freshGroup();
      order({ kind: 'http_502', times: null });
      const unknown = { kind: 'unknown', cause: expect.any(String) };
      const { client } = fixture;
      expect(await client.ensureGroup(groupId, 'One')).toEqual(unknown);
      expect(await send(messageOf(groupId, 'e14'))).toEqual(unknown);
      expect(await client.sendGroupNotification(groupId, 'x')).toEqual(unknown);
      expect(await client.banMember(groupId, 'u1', 60)).toEqual(unknown);
      expect(await client.unbanMember(groupId, 'u1')).toEqual(unknown);
    });

    memberBanContract({ fixture: () => fixture, freshGroup, order, shown, inTime });
  });
}

type Order = Parameters<ImStandIn['faults']['add']>[0];

/** A fault as suites order it. */
export type OrderedFault = Omit<Order, 'times'> & { readonly times?: number | null };

/** Orders a fault for one request, unless it says otherwise. */
function fault(standIn: () => ImStandIn) {
  return (ordered: OrderedFault): void => {
    expect(standIn().faults.add({ times: 1, ...ordered })).toBe(true);
  };
}
