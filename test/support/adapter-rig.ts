/** An adapter over a store and a destination that tests hold in their hands. */
import { createAdapter } from '../../src/adapters/adapter.ts';
import type { Adapter } from '../../src/adapters/adapter.ts';
import type { AdapterOptions } from '../../src/adapters/adapter-options.ts';
import type { OutgoingEvent } from '../../src/adapters/event-sender.ts';
import type { EnvelopeReading } from '../../src/adapters/read-envelope.ts';
import { roomKeyOf } from '../../src/domain/ids.ts';
import type { AppCode, CommandId, EventId, RoomId, RoomVersion } from '../../src/domain/ids.ts';
import { Failure } from '../../src/kernel/failure.ts';
import type { IncomingEvent } from '../../src/ports/event-source.ts';
import type { BatchOutcome } from '../../src/ports/activity-client.ts';
import type { SendOutcome } from '../../src/ports/im-client.ts';
import type { FinishResult, RunFinish, StartedRow } from '../../src/ports/outbox-store.ts';
import { ManualTime } from './manual-time.ts';
import { MemoryLog } from './memory-log.ts';

export const done: SendOutcome = { kind: 'done' };
export const storeAway = new Failure('retry', 'UNAVAILABLE', 'no connection');

const options: AdapterOptions = {
  lockMs: 60_000,
  sendTimeoutMs: 3_000,
  maxRetryCount: 10,
  backoff: { initialMs: 5_000, maxMs: 300_000 },
  concurrentRooms: 4,
  rememberedEvents: 100,
};

/** What the adapter did, in order. */
export interface AdapterSeen {
  readonly starts: string[];
  readonly sends: string[];
  /** Calls with several events: their names, joined by commas. */
  readonly batches: string[];
  /** Counters as `name|label|label`, with their sums. */
  readonly counts: Map<string, number>;
  readonly finishes: { readonly token: string; readonly finish: RunFinish }[];
  hints: number;
  /** Sends that were in flight at the same time, at most. */
  inFlightMax: number;
}

/** An adapter, its clock, its log and what it did. */
export interface AdapterRig {
  readonly adapter: Adapter;
  readonly time: ManualTime;
  readonly log: MemoryLog;
  readonly seen: AdapterSeen;
}

/** A record; `room/version` names the event. */
export function incoming(
  room: string,
  version: number,
  claimToken = `claim-${room}`,
  isSuspect = false,
): IncomingEvent {
  return {
    roomKey: roomKeyOf('app1' as AppCode, room as RoomId),
    rowId: BigInt(version),
    claimToken,
    isSuspect,
    envelope: Buffer.from(`${room}/${version}`, 'utf8'),
  };
}

/**
 * `started` answers the rows of a start (all of them by default), `send` the outcome of a send,
 * `sendBatch` that of a batch (without it the destination takes none), `finish` may throw. The event type is RoomUserJoined unless the room's name is one.
 */
export function makeAdapterRig(
  fakes: {
    readonly started?: (token: string, rowIds: readonly bigint[]) => readonly StartedRow[];
    readonly send?: (name: string, time: ManualTime) => Promise<SendOutcome> | SendOutcome;
    readonly sendBatch?: (
      names: readonly string[],
      time: ManualTime,
    ) => Promise<BatchOutcome> | BatchOutcome;
    readonly finish?: (token: string) => FinishResult;
    readonly read?: (
      name: string,
      time: ManualTime,
    ) => Promise<EnvelopeReading | null> | EnvelopeReading | null;
    readonly delivered?: (name: string) => void;
  } = {},
  fields: Partial<AdapterOptions> = {},
): AdapterRig {
  const time = new ManualTime();
  const log = new MemoryLog();
  const seen: AdapterSeen = {
    starts: [],
    sends: [],
    batches: [],
    counts: new Map(),
    finishes: [],
    hints: 0,
    inFlightMax: 0,
  };
  let inFlight = 0;
  const send = async ({ envelopeBytes }: OutgoingEvent): Promise<SendOutcome> => {
    const name = nameOf(envelopeBytes);
    seen.sends.push(name);
    inFlight += 1;
    seen.inFlightMax = Math.max(seen.inFlightMax, inFlight);
    const outcome = await (fakes.send?.(name, time) ?? done);
    inFlight -= 1;
    return outcome;
  };
  const { sendBatch } = fakes;
  const batches =
    sendBatch === undefined
      ? {}
      : {
          async sendBatch(events: readonly OutgoingEvent[]): Promise<BatchOutcome> {
            const names = events.map(({ envelopeBytes }) => nameOf(envelopeBytes));
            seen.batches.push(names.join());
            return await sendBatch(names, time);
          },
        };
  const adapter: Adapter = createAdapter(
    {
      source: { start: () => Promise.resolve(), stop: () => Promise.resolve() },
      store: {
        claimRuns: () => Promise.resolve([]),
        giveBack: () => Promise.resolve(),
        blockedRooms: () => Promise.resolve([]),
        backlog: () => Promise.resolve([]),
        async start(token, rowIds) {
          seen.starts.push(`${token}:${rowIds.join(',')}`);
          await Promise.resolve();
          return fakes.started?.(token, rowIds) ?? rowIds.map((rowId) => startedRow(rowId));
        },
        async finish(token, finish) {
          await Promise.resolve();
          const result = fakes.finish?.(token);
          seen.finishes.push({ token, finish });
          if (result !== undefined) return result;
          const permanent = finish.kind === 'failed' && finish.permanent;
          const state = finish.kind === 'delivered' ? null : permanent ? 'failed' : 'retryable';
          return { delivered: 1, failedRowState: state, returnedToPending: 0 };
        },
      },
      async readEnvelope(bytes) {
        const name = nameOf(bytes);
        return (await fakes.read?.(name, time)) ?? envelopeOf(name);
      },
      wake: {
        hint: () => {
          seen.hints += 1;
        },
        subscribe: () => () => undefined,
      },
      clock: time,
      timers: time,
      random: { fraction: () => 0, hex: () => '' },
      log,
      metrics: {
        count(name, labels = {}, by = 1) {
          const key = [name, ...Object.values(labels)].join('|');
          seen.counts.set(key, (seen.counts.get(key) ?? 0) + by);
        },
        gauge: () => undefined,
        observeMs: () => undefined,
      },
      trace: { at: () => undefined },
      onDelivered: (bytes) => {
        fakes.delivered?.(nameOf(bytes));
        return Promise.resolve();
      },
      onCrashed: () => undefined,
    },
    { destination: 'im', send, ...batches },
    { ...options, ...fields },
  );
  return { adapter, time, log, seen };
}

function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

/** Moves the clock until `work` has ended; fails when it does not within `limitMs` of that clock. */
export async function driven(
  time: ManualTime,
  work: Promise<void>,
  limitMs = 600_000,
): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  for (let passedMs = 0; !isOver; passedMs += 50) {
    if (passedMs > limitMs) throw new Error(`the adapter is not done after ${limitMs} ms`);
    await time.advance(50);
  }
  await work;
}

/** A row as a start answers it. */
export function startedRow(rowId: bigint, fields: Partial<StartedRow> = {}): StartedRow {
  return { rowId, retryCount: 0, usefulUntilMs: null, ...fields };
}

/** What a reader makes of the envelope of an event that is named `room/version`. */
export function envelopeOf(name: string): EnvelopeReading {
  const [roomId = '', version = '0'] = name.split('/');
  return {
    kind: 'envelope',
    envelope: {
      eventId: `event ${name}` as EventId,
      appCode: 'app1' as AppCode,
      roomId: roomId as RoomId,
      eventType: roomId.startsWith('Room') ? roomId : 'RoomUserJoined',
      roomVersion: BigInt(version) as RoomVersion,
      eventIndex: 0,
      occurredAtMs: 0,
      commandId: 'c' as CommandId,
      actorUserId: 'u' as never,
      event: null,
    },
  };
}
