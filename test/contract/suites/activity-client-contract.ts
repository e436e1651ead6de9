/** What every ActivityClient must do, told by what the stand-in of the service has seen. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppCode, CommandId, EventId, RoomVersion } from '../../../src/domain/ids.ts';
import type { ActivityStandIn } from '../../../src/drivers/delivery-stand-in/activity-stand-in.ts';
import type { ActivityClient, BatchOutcome } from '../../../src/ports/activity-client.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { alice, joined, owner, room } from '../../support/room-builders.ts';

/** A client and the stand-in that it talks to, over whatever lies between them. */
export interface ActivityClientFixture {
  readonly client: ActivityClient;
  readonly standIn: ActivityStandIn;
  /** Bound of one call. */
  readonly timeoutMs: number;
  /** Lets so much time pass for both. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** What a busy machine may add to a bound. */
const slackMs = 400;
const codec = createCodec();

/** Declares the suite. */
export function activityClientContract(
  name: string,
  makeFixture: () => Promise<ActivityClientFixture>,
): void {
  describe(`ActivityClient contract: ${name}`, () => {
    let fixture: ActivityClientFixture;
    let events = 0;
    beforeAll(async () => {
      fixture = await makeFixture();
    });
    beforeEach(() => fixture.standIn.faults.clear());
    afterAll(() => fixture.close());

    const done = { kind: 'done' };
    const ingest = (bytes: Uint8Array) => fixture.client.ingest(bytes);
    const newId = () => `6a0f8c1e-0000-5000-8000-${String((events += 1)).padStart(12, '0')}`;
    const envelope = (id: string, appCode = 'app1', version = 1n): Uint8Array =>
      codec.encodeEnvelope({
        eventId: id as EventId,
        appCode: appCode as AppCode,
        roomId: room,
        eventType: 'RoomUserJoined',
        roomVersion: version as RoomVersion,
        eventIndex: 2,
        occurredAtMs: 1,
        commandId: 'c' as CommandId,
        actorUserId: owner,
        event: joined(alice),
      });
    const seen = (id: string) =>
      fixture.standIn.received
        .show()
        .rooms.flatMap((one) => one.events)
        .filter(({ event_id: other }) => other === id);
    const order = (
      kind: OrderedKind,
      delayMs?: number,
      times: number | null = 1,
      after = 0,
    ): void => {
      const isTaken = fixture.standIn.faults.add({
        kind,
        times,
        after,
        ...(delayMs === undefined ? {} : { delayMs }),
      });
      expect(isTaken).toBe(true);
    };
    /** The outcome of a call that must end within its bound, while the time is let pass. */
    const inTime = async <Outcome>(call: Promise<Outcome>): Promise<Outcome> => {
      let outcome: Outcome | null = null;
      void call.then((ended) => (outcome = ended));
      await fixture.pass(fixture.timeoutMs + slackMs);
      expect(outcome).not.toBeNull();
      return call;
    };

    it('delivers an event once, with its fields, however often it is asked (ARC-7, EXT-4)', async () => {
      const id = newId();
      const version = 9_007_199_254_740_993n;
      for (let ask = 0; ask < 3; ask += 1) {
        expect(await ingest(envelope(id, 'app1', version))).toEqual(done);
      }
      expect(seen(id)).toMatchObject([
        { type: 'RoomUserJoined', version: String(version), index: 2, repeats: 0, different: 0 },
      ]);
      expect(seen(id)).toMatchObject([{ deduplicated: 2 }]);
    });

    it('delivers one id of two apps as two events (OUT-13)', async () => {
      const id = newId();
      expect(await ingest(envelope(id, 'app1'))).toEqual(done);
      expect(await ingest(envelope(id, 'app2'))).toEqual(done);
      expect(seen(id)).toMatchObject([{ deduplicated: 0 }, { deduplicated: 0 }]);
    });

    it('does not know what became of a call without an answer, taken or not (RETRY-8)', async () => {
      const id = newId();
      order('unavailable');
      expect(await ingest(envelope(id))).toMatchObject({ kind: 'unknown' });
      expect(seen(id)).toEqual([]);
      order('applied_then_cut');
      expect(await ingest(envelope(id))).toMatchObject({ kind: 'unknown' });
      expect(await ingest(envelope(id))).toEqual(done);
      expect(seen(id)).toMatchObject([{ repeats: 0, deduplicated: 1 }]);
    });

    it('waits for a slow answer, and not beyond its bound (OCFG-5)', async () => {
      order('slow', fixture.timeoutMs / 4);
      expect(await inTime(ingest(envelope(newId())))).toEqual(done);
      order('slow', 20 * fixture.timeoutMs);
      expect(await inTime(ingest(envelope(newId())))).toMatchObject({ kind: 'unknown' });
    });

    it('takes a request that arrives twice for one event', async () => {
      const id = newId();
      order('twice');
      expect(await ingest(envelope(id))).toEqual(done);
      expect(seen(id)).toMatchObject([{ repeats: 0, deduplicated: 1 }]);
    });

    it('takes a refusal for the last word, and a throttle with the pause that it names', async () => {
      order('refuse');
      expect(await ingest(envelope(newId()))).toMatchObject({
        kind: 'permanent',
        error: expect.stringContaining('ordered'),
      });
      order('throttle', 2_500);
      expect(await ingest(envelope(newId()))).toMatchObject({
        kind: 'throttled',
        retryAfterMs: 2_500,
      });
    });

    it('never sends what is no envelope, and waits for a schema that it does not know', async () => {
      const before = fixture.standIn.received.show().events;
      expect(await ingest(new Uint8Array([1, 2, 3]))).toMatchObject({ kind: 'permanent' });
      const foreign = Uint8Array.from(envelope(newId()));
      // Behind the two bytes of the marker: the fingerprint.
      foreign.set([0xde, 0xad, 0xbe, 0xef], 2);
      expect(await ingest(foreign)).toMatchObject({ kind: 'retryable' });
      expect(fixture.standIn.received.show().events).toBe(before);
    });

    it('throws nothing while the service is down', async () => {
      order('unavailable', undefined, null);
      for (let call = 0; call < 3; call += 1) {
        expect(await ingest(envelope(newId()))).toEqual({
          kind: 'unknown',
          cause: expect.any(String),
        });
      }
    });

    describe('a batch', () => {
      const ingestBatch = (ids: readonly string[]): Promise<BatchOutcome> =>
        fixture.client.ingestBatch(ids.map((id) => envelope(id)));
      const newIds = (count: number) => Array.from({ length: count }, newId);
      const arrived = (ids: readonly string[]) => ids.map((id) => seen(id).length);

      it('is delivered in one call, in its order, each event once (ARC-7, EXT-4)', async () => {
        const [first = '', ...others] = newIds(4);
        expect(await ingest(envelope(first))).toEqual(done);
        const ids = [first, ...others];
        expect(await ingestBatch(ids)).toEqual({ sent: 4, taken: 4, next: null });
        expect(await ingestBatch(ids)).toEqual({ sent: 4, taken: 4, next: null });
        const { rooms } = fixture.standIn.received.show();
        const inOrder = rooms.flatMap(({ events: all }) => all.map(({ event_id: id }) => id));
        expect(inOrder.filter((id) => ids.includes(id))).toEqual(ids);
        expect(ids.flatMap(seen).map(({ deduplicated }) => deduplicated)).toEqual([2, 1, 1, 1]);
      });

      it('is taken up to the first that is not, which says why (OUT-23)', async () => {
        const ends: readonly (readonly [OrderedKind, object])[] = [
          ['unavailable', { kind: 'unknown' }],
          ['refuse', { kind: 'permanent', error: expect.stringContaining('ordered') as string }],
          ['throttle', { kind: 'throttled', retryAfterMs: 2_500 }],
        ];
        for (const [kind, next] of ends) {
          const ids = newIds(4);
          order(kind, 2_500, 1, 2);
          expect(await ingestBatch(ids)).toMatchObject({ sent: 4, taken: 2, next });
          expect(arrived(ids)).toEqual([1, 1, 0, 0]);
        }
      });

      it('without an answer leaves nothing known, and comes again whole (RETRY-8)', async () => {
        const ids = newIds(3);
        order('applied_then_cut', undefined, 1, 1);
        expect(await ingestBatch(ids)).toMatchObject({ taken: 0, next: { kind: 'unknown' } });
        expect(arrived(ids)).toEqual([1, 1, 0]);
        expect(await ingestBatch(ids)).toEqual({ sent: 3, taken: 3, next: null });
        expect(ids.flatMap(seen).map(({ repeats }) => repeats)).toEqual([0, 0, 0]);
      });

      it('may be slow in its midst, within the bound of one call (OCFG-5)', async () => {
        order('slow', fixture.timeoutMs / 4, 1, 1);
        expect(await inTime(ingestBatch(newIds(3)))).toEqual({ sent: 3, taken: 3, next: null });
        order('slow', 20 * fixture.timeoutMs, 1, 1);
        const unknown = { taken: 0, next: { kind: 'unknown' } };
        expect(await inTime(ingestBatch(newIds(3)))).toMatchObject(unknown);
      });

      it('has its bound for all of it, however many of its events are slow (OCFG-5)', async () => {
        order('slow', fixture.timeoutMs / 2, 4);
        const unknown = { taken: 0, next: { kind: 'unknown' } };
        expect(await inTime(ingestBatch(newIds(4)))).toMatchObject(unknown);
      });

      it('may hold an event that arrives twice', async () => {
        const ids = newIds(3);
        order('twice', undefined, 1, 1);
        expect(await ingestBatch(ids)).toEqual({ sent: 3, taken: 3, next: null });
        expect(ids.flatMap(seen).map(({ deduplicated }) => deduplicated)).toEqual([0, 1, 0]);
      });

      it('ends before what is no envelope, which alone is told so', async () => {
        const ids = newIds(2);
        const broken = new Uint8Array([1, 2, 3]);
        const call = (given: readonly Uint8Array[]) => fixture.client.ingestBatch(given);
        const envelopes = [...ids.map((id) => envelope(id)), broken, envelope(newId())];
        expect(await call(envelopes)).toEqual({ sent: 2, taken: 2, next: null });
        expect(await call(envelopes.slice(2))).toMatchObject({
          sent: 1,
          taken: 0,
          next: { kind: 'permanent' },
        });
      });

      it('too long for one call goes with the next ones', async () => {
        const ids = newIds(103);
        expect(await ingestBatch(ids)).toEqual({ sent: 100, taken: 100, next: null });
        expect(await ingestBatch(ids.slice(100))).toEqual({ sent: 3, taken: 3, next: null });
      });

      // The last of them: from here on this client sends single events.
      it('goes event by event to whoever takes none, and is not tried each time', async () => {
        const ids = newIds(3);
        order('no_batches');
        expect(await ingestBatch(ids)).toEqual({ sent: 1, taken: 1, next: null });
        expect(await ingestBatch(ids.slice(1))).toEqual({ sent: 1, taken: 1, next: null });
        order('refuse');
        expect(await ingestBatch(ids.slice(2))).toMatchObject({
          sent: 1,
          taken: 0,
          next: { kind: 'permanent' },
        });
        expect(arrived(ids)).toEqual([1, 1, 0]);
      });
    });

    it('delivers nothing once it is stopped, and throws nothing', async () => {
      const id = newId();
      await fixture.client.stop();
      expect(await inTime(ingest(envelope(id)))).toMatchObject({ kind: 'unknown' });
      expect(
        await inTime(fixture.client.ingestBatch([envelope(id), envelope(newId())])),
      ).toMatchObject({ taken: 0, next: { kind: 'unknown' } });
      expect(seen(id)).toEqual([]);
      await fixture.client.stop();
    });
  });
}

type OrderedKind = Parameters<ActivityStandIn['faults']['add']>[0]['kind'];
