/**
 * Bug case A11: twenty-one rooms, two destinations, three relays of which one dies half-way, adapters
 * that send to ten rooms at once, and five in a hundred sends that fail in one of the ways there are.
 * Each room has 250 versions, half of the case's 500, which took 45 s; no number of rooms, relays,
 * errors or sends at once is smaller, and pauses are scaled down. Relays find rows by looking, since
 * hints would only have them look more often.
 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventSender } from '../../../src/adapters/event-sender.ts';
import { createSeededRandom } from '../../../src/drivers/memory/seeded-random.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { SendOutcome } from '../../../src/ports/im-client.ts';
import { driverDeps } from '../../support/driver-deps.ts';
import { openKafkaLogSpace } from '../../support/kafka-log-space.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { openMysqlSpace } from '../../support/mysql-space.ts';
import type { MysqlSpace } from '../../support/mysql-space.ts';
import { noHints, startAdapter, startRelay } from '../../support/outbox-way.ts';
import type { MortalRelay, WayParts } from '../../support/outbox-way.ts';
import { storeEvents } from '../../support/stored-events.ts';
import { waitUntil } from '../../support/wait-until.ts';

const destinations = ['im', 'activity'] as const;
type Served = (typeof destinations)[number];
const rooms = Array.from({ length: 21 }, (_, at) => `r${at + 1}`);
const versionsMax = 250;
const eventsMax = rooms.length * versionsMax;
/** IM is the slow one. */
const longestSendMs: Readonly<Record<Served, number>> = { im: 50, activity: 5 };
const failingShare = 0.05;
/** Those take their row out, so they are few and not among the others. */
const refusedShare = 0.005;
const random = createSeededRandom('A11');
const { timers } = driverDeps();

interface Arrival {
  readonly version: number;
  readonly eventId: string;
  readonly bytes: string;
}

/** A destination that is slow, fails, and keeps what came. */
class Receiver {
  /** By room, in the order of their coming. */
  readonly arrivals = new Map<string, Arrival[]>();
  /** Sends by how they ended. */
  readonly outcomes = new Map<string, number>();
  roomsAtOnceMax = 0;
  arrived = 0;
  /** While set, nothing is answered. */
  silence: Promise<void> | null = null;
  readonly sender: EventSender;
  private readonly inFlight = new Map<string, number>();
  private readonly seen = new Set<string>();

  constructor(destination: Served) {
    this.sender = {
      destination,
      send: async ({ envelope, envelopeBytes }) => {
        const { roomId: room } = envelope;
        this.inFlight.set(room, (this.inFlight.get(room) ?? 0) + 1);
        this.roomsAtOnceMax = Math.max(this.roomsAtOnceMax, this.inFlight.size);
        await timers.sleep(random.fraction('send') * longestSendMs[destination]);
        await this.silence;
        const arrival = {
          version: Number(envelope.roomVersion),
          eventId: envelope.eventId,
          bytes: createHash('sha256').update(envelopeBytes).digest('hex'),
        };
        const [name, outcome] = this.answer(room, arrival);
        this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
        const left = (this.inFlight.get(room) ?? 1) - 1;
        if (left === 0) this.inFlight.delete(room);
        else this.inFlight.set(room, left);
        return outcome;
      },
    };
  }

  private answer(room: string, arrival: Arrival): readonly [string, SendOutcome] {
    const draw = random.fraction('fate');
    if (draw < failingShare) {
      const ways = [
        ['retryable', { kind: 'retryable', error: 'busy' }],
        ['throttled', { kind: 'throttled', error: 'too many', retryAfterMs: 20 }],
        ['lost request', { kind: 'unknown', cause: 'the request was lost' }],
        ['lost answer', { kind: 'unknown', cause: 'the answer was lost' }],
      ] as const;
      const way = ways[Math.floor((draw / failingShare) * ways.length)] ?? ways[0];
      if (way[0] === 'lost answer') this.take(room, arrival);
      return way;
    }
    // What has arrived is not refused afterwards: the receiver knows it.
    const isRefused = draw < failingShare + refusedShare && !this.seen.has(arrival.eventId);
    if (isRefused) return ['refused', { kind: 'permanent', error: 'refused for good' }];
    this.take(room, arrival);
    return ['done', { kind: 'done' }];
  }

  private take(room: string, arrival: Arrival): void {
    if (!this.seen.has(arrival.eventId)) this.arrived += 1;
    this.seen.add(arrival.eventId);
    const before = this.arrivals.get(room) ?? [];
    before.push(arrival);
    this.arrivals.set(room, before);
  }
}

describe('the order of the outbox', () => {
  let space: MysqlSpace;
  let log: LogSpace;
  const receivers = { im: new Receiver('im'), activity: new Receiver('activity') };
  const relays: MortalRelay[] = [];
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    space = await openMysqlSpace();
    log = await openKafkaLogSpace({ eventPartitions: { im: 6, activity: 2 } });
    const parts: WayParts = {
      log,
      wake: noHints,
      destinations,
      relayOptions: {
        ...{ pollIntervalMs: 200, batchSize: 500, runSize: 20, unconfirmedMax: 1_000 },
        ...{ publishTimeoutMs: 2_000, claimLockMs: 6_000, startedMax: 3 },
      },
      adapterOptions: {
        ...{ lockMs: 6_000, sendTimeoutMs: 3_000, maxRetryCount: 10 },
        backoff: { initialMs: 10, maxMs: 100 },
        ...{ concurrentRooms: 10, rememberedEvents: 20_000 },
      },
    };
    for (const name of ['relay-1', 'relay-2', 'relay-3']) {
      relays.push(await startRelay(parts, name, space.moreDrivers()));
    }
    for (const destination of destinations) {
      const { sender } = receivers[destination];
      const adapter = await startAdapter(parts, destination, space.moreDrivers(), sender);
      stops.push(() => adapter.stop());
    }
  });
  afterAll(async () => {
    // The dead one ends with the process.
    for (const { relay } of relays.slice(1)) await relay.stop();
    for (const stop of stops) await stop();
    await log.close();
    await space.close();
  });

  /** Two writers, as two cells are, each with rooms of its own and ten versions at a time. */
  async function storeAll(): Promise<void> {
    const writers = [rooms.slice(0, 10), rooms.slice(10)].map(async (own) => {
      const session = await space.openObserver();
      for (let from = 1; from <= versionsMax; from += 10) {
        const events = Array.from({ length: 10 }, (_, at) => from + at).flatMap((version) =>
          own.map((room) => ({ room, version })),
        );
        await storeEvents(session, events, destinations);
      }
    });
    await Promise.all(writers);
  }

  const arrivedInAll = (): number => receivers.im.arrived + receivers.activity.arrived;
  const until = (expected: string, isSo: () => boolean): Promise<unknown> =>
    waitUntil(expected, () => Promise.resolve(isSo()), { limitMs: 60_000, seen });
  const seen = (): unknown => ({
    im: receivers.im.arrived,
    activity: receivers.activity.arrived,
    troubles: relays.map(({ deps }) => deps.log.lines.map(({ message }) => message)),
  });

  it('is each room’s at each destination, through errors of every sort and the death of a relay, and no room waits for another (A11)', async () => {
    const storing = storeAll();

    await until('500 events at IM', () => receivers.im.arrived >= 500);
    // The slow one is at its slowest: while it answers nothing, the other one goes on.
    const silence = createDeferred<void>();
    receivers.im.silence = silence.promise;
    const further = receivers.activity.arrived + 500;
    await until('500 more at activity while IM is silent', () => {
      return receivers.activity.arrived >= further;
    });
    receivers.im.silence = null;
    silence.resolve();

    await until('half of all arrivals', () => arrivedInAll() >= eventsMax);
    const orphaned = await (relays[0] as MortalRelay).killBehindClaim();
    expect(orphaned).toBeGreaterThan(0);
    await storing;
    await waitUntil(
      'every row delivered or refused',
      async () => {
        const rows = await space.sql(
          "SELECT COUNT(*) AS n FROM room_outbox WHERE status NOT IN ('delivered', 'failed')",
        );
        return Number(rows[0]?.['n']) === 0;
      },
      { limitMs: 60_000, everyMs: 100, seen },
    );

    for (const destination of destinations) {
      const { arrivals, outcomes } = receivers[destination];
      const refused = await refusedVersions(destination);
      const refusedInAll = [...refused.values()].reduce((sum, { size }) => sum + size, 0);
      // A refusal that came too late for its claim is not written down.
      expect(refusedInAll).toBeLessThanOrEqual(outcomes.get('refused') ?? 0);
      for (const room of rooms) {
        const firsts = firstArrivals(arrivals.get(room) ?? []);
        const expected = Array.from({ length: versionsMax }, (_, at) => at + 1).filter(
          (version) => refused.get(room)?.has(version) !== true,
        );
        expect(firsts, `${room} at ${destination}`).toEqual(expected);
        expect(differingRepeats(arrivals.get(room) ?? []), `${room} at ${destination}`).toEqual([]);
      }
      // Each sort was there; an answer that was lost is what makes repeats.
      for (const way of ['retryable', 'throttled', 'lost request', 'lost answer', 'refused']) {
        expect(outcomes.get(way) ?? 0, `${way} at ${destination}`).toBeGreaterThan(10);
      }
    }
    expect(receivers.im.roomsAtOnceMax).toBeGreaterThanOrEqual(8);
  }, 180_000);

  async function refusedVersions(destination: Served): Promise<Map<string, Set<number>>> {
    const rows = await space.sql(
      "SELECT room_id, room_version, last_error FROM room_outbox WHERE status = 'failed' " +
        'AND destination = ?',
      [destination],
    );
    const refused = new Map<string, Set<number>>();
    for (const row of rows) {
      expect(row['last_error']).toBe('refused for good');
      const room = String(row['room_id']);
      const versions = refused.get(room) ?? new Set();
      refused.set(room, versions.add(Number(row['room_version'])));
    }
    return refused;
  }
});

/** Versions in the order in which they came for the first time. */
function firstArrivals(arrivals: readonly Arrival[]): number[] {
  return [...new Set(arrivals.map(({ version }) => version))];
}

/** Versions that came again under another id or with other bytes. */
function differingRepeats(arrivals: readonly Arrival[]): number[] {
  const firsts = new Map<number, Arrival>();
  return arrivals
    .filter((arrival) => {
      const first = firsts.get(arrival.version) ?? arrival;
      firsts.set(arrival.version, first);
      return first.eventId !== arrival.eventId || first.bytes !== arrival.bytes;
    })
    .map(({ version }) => version);
}
