/** Displays to instant messaging: each once, in order per room, and never in a fact's way. */
import { describe, expect, it } from 'vitest';
import { DisplayLane, displayLaneDefaults } from '../../../src/adapters/im/display-lane.ts';
import { createDisplayReader } from '../../../src/adapters/im/display-message.ts';
import { imCallsOf } from '../../../src/adapters/im/im-message.ts';
import type { AppCode, RoomId } from '../../../src/domain/ids.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { DisplaySource, IncomingDisplay } from '../../../src/ports/display-source.ts';
import type { GroupMessage, SendOutcome } from '../../../src/ports/im-client.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import type { DisplayEnvelope, EventEnvelope } from '../../../src/protocol/records.ts';
import { displays, envelopes } from '../../golden/0.4.0/samples.ts';
import { CountedMetrics } from '../../support/driver-deps.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { MemoryLog } from '../../support/memory-log.ts';

const codec = createCodec();
const sample = displays[0] as DisplayEnvelope;
const app = 'app1' as AppCode;
/** Late enough that the pace has its burst. */
const startMs = 10_000;

function display(room: string, version: number, occurredAtMs = startMs): IncomingDisplay {
  const value = codec.encodeDisplay({
    ...sample,
    appCode: app,
    roomId: room as RoomId,
    roomVersion: BigInt(version) as DisplayEnvelope['roomVersion'],
    occurredAtMs,
  });
  return { roomKey: roomKeyOf(app, room as RoomId), value };
}

/** A lane whose sends end as `send` says. */
async function rig(
  send: (message: GroupMessage) => Promise<SendOutcome> | SendOutcome,
  usefulForMs = 3_000,
) {
  const time = new ManualTime();
  const metrics = new CountedMetrics();
  const messages: GroupMessage[] = [];
  let take: (displays: readonly IncomingDisplay[]) => void = () => undefined;
  const source: DisplaySource = {
    start(handlers) {
      take = (displays) => handlers.onDisplays(displays);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  };
  const never = (): Promise<SendOutcome> => Promise.reject(new Error('no such call'));
  const lane = new DisplayLane(
    {
      source,
      readDisplay: createDisplayReader(codec, { find: () => Promise.resolve(null) }),
      clients: new Map([
        [
          app,
          {
            ensureGroup: never,
            sendGroupNotification: never,
            dissolveGroup: never,
            banMember: never,
            unbanMember: never,
            async sendGroupMessage(message) {
              messages.push(message);
              return send(message);
            },
          },
        ],
      ]),
      clock: time,
      timers: time,
      log: new MemoryLog(),
      metrics,
      onCrashed: (cause) => expect.unreachable(String(cause)),
    },
    { ...displayLaneDefaults, usefulForMs, perRoomMax: 4, rates: { perGroup: 8, perApp: 40 } },
  );
  await time.advance(startMs);
  await lane.start();
  const ended = (outcome: string) => metrics.sumOf('adapter_displays_total', { outcome });
  const versions = () =>
    messages.map(({ data }) => Number((JSON.parse(data) as { version: string }).version));
  return { lane, time, messages, ended, versions, take: (list: IncomingDisplay[]) => take(list) };
}

const done: SendOutcome = { kind: 'done' };

describe('the display lane of the IM adapter', () => {
  it('sends a room’s displays one after another in their order, other rooms beside it (DIM-1)', async () => {
    const first = createDeferred<SendOutcome>();
    const r = await rig(({ data }) => (data.includes('"version":"1"') ? first.promise : done));
    r.take([display('r1', 1), display('r1', 2), display('r2', 3)]);
    await settled();
    expect(r.versions()).toEqual([1, 3]);
    r.take([display('r1', 4)]);
    first.resolve(done);
    await settled();
    expect(r.versions()).toEqual([1, 3, 2, 4]);
    expect(r.ended('sent')).toBe(4);
  });

  it.each<SendOutcome>([
    { kind: 'retryable', error: '10002' },
    { kind: 'permanent', error: '10010' },
    { kind: 'unknown', cause: 'timeout' },
  ])(
    'a failure ($kind) is counted and never tried again, and what is behind goes on (DIM-2)',
    async (outcome) => {
      let calls = 0;
      const r = await rig(() => ((calls += 1) === 1 ? outcome : done));
      r.take([display('r1', 1), display('r1', 2)]);
      await settled();
      expect(r.versions()).toEqual([1, 2]);
      expect([r.ended('failed'), r.ended('sent')]).toEqual([1, 1]);
    },
  );

  it('gives way for as long as the vendor asks: facts come first', async () => {
    let calls = 0;
    const r = await rig(() => {
      calls += 1;
      return calls === 1 ? { kind: 'throttled', error: '10023', retryAfterMs: 700 } : done;
    });
    r.take([display('r1', 1), display('r1', 2)]);
    await settled();
    expect([r.ended('throttled'), r.messages.length]).toEqual([2, 1]);
    await r.time.advance(700);
    r.take([display('r1', 3)]);
    await settled();
    expect(r.versions()).toEqual([1, 3]);
  });

  it('drops what is too old', async () => {
    const r = await rig(() => done);
    r.take([display('r1', 1, 6_999), display('r1', 2, 7_000)]);
    await settled();
    expect(r.versions()).toEqual([2]);
    expect(r.ended('too_old')).toBe(1);
  });

  it('drops what got too old while it waited for its turn, and spends no turn on what is', async () => {
    const r = await rig(() => done, 200);
    r.take([1, 2, 3, 4].map((version) => display('r1', version)));
    await settled();
    r.take([5, 6, 7, 8].map((version) => display('r1', version)));
    await r.time.advance(250);
    // A turn of the group comes each 125 ms: the sixth is late, and those behind it as well.
    expect(r.versions()).toEqual([1, 2, 3, 4, 5]);
    expect(r.ended('too_old')).toBe(3);
    r.take([display('r1', 9, r.time.wallMs())]);
    await r.time.advance(125);
    expect(r.versions().at(-1)).toBe(9);
  });

  it('keeps below its own rate in one group, with the facts’ below the vendor’s', async () => {
    const r = await rig(() => done);
    for (let second = 0; second < 5; second += 1) {
      for (let version = 0; version < 40; version += 1) {
        r.take([display('r1', version, r.time.wallMs())]);
        await settled();
      }
      await r.time.advance(1_000);
    }
    // Eight a second and a burst of four: with the facts' thirty below forty.
    expect(r.messages.length).toBeLessThanOrEqual(5 * 8 + 4);
    expect(r.messages.length).toBeGreaterThan(20);
  });

  it('a full room gives up its oldest (DIM-1)', async () => {
    const first = createDeferred<SendOutcome>();
    const r = await rig(({ data }) => (data.includes('"version":"1"') ? first.promise : done));
    r.take([display('r1', 1)]);
    await settled();
    r.take([2, 3, 4, 5, 6, 7].map((version) => display('r1', version)));
    first.resolve(done);
    await r.time.advance(2_000);
    expect(r.versions()).toEqual([1, 4, 5, 6, 7]);
    expect(r.ended('full')).toBe(2);
  });

  it('a copy of a fact is the message that the outbox would send, with its Random (DIM-3)', async () => {
    const fact = envelopes.find(({ eventType }) => eventType === 'RoomUserJoined') as EventEnvelope;
    const value = codec.encodeEnvelope({ ...fact, appCode: app });
    const r = await rig(() => done);
    r.take([{ roomKey: roomKeyOf(app, fact.roomId), value }]);
    await r.time.advance(0);
    const form = imCallsOf({ ...fact, appCode: app });
    const wanted = form.kind === 'calls' ? form.calls : [];
    // Samples lie in the past of any clock that starts at 0: never too old.
    expect([{ kind: 'message', message: r.messages[0] }]).toEqual(wanted);
  });

  it('counts what it cannot read, has no form for or no account for', async () => {
    const r = await rig(() => done);
    const other = codec.encodeDisplay({
      ...sample,
      appCode: 'other' as AppCode,
      occurredAtMs: startMs,
    });
    const later = codec.encodeDisplay({ ...sample, displayType: 'RoomFireworks', display: null });
    const roomKey = roomKeyOf(app, 'r1' as RoomId);
    r.take([other, later, Buffer.from('junk')].map((value) => ({ roomKey, value })));
    await settled();
    expect([r.ended('no_account'), r.ended('no_form'), r.ended('unreadable')]).toEqual([1, 1, 1]);
    expect(r.messages).toEqual([]);
  });

  it('a stop ends the send in hand and drops the rest', async () => {
    const first = createDeferred<SendOutcome>();
    const r = await rig(() => first.promise);
    r.take([display('r1', 1), display('r1', 2)]);
    await settled();
    const stopping = r.lane.stop();
    first.resolve(done);
    await stopping;
    expect(r.versions()).toEqual([1]);
    expect(r.ended('stopped')).toBe(1);
  });
});
