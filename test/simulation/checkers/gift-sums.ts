/**
 * INV-23: heat, rank and the sums per user are what the log makes of them: in the rooms row and the
 * list after each commit, in each gift's own result, in every view that a client is shown, in the
 * last words of a closed room, and in the statistics, those by days and weeks too.
 */
import type { RoomDayRow } from '../../../src/ports/commit-lane.ts';
import type { RoomView } from '../../../src/domain/room/room-view.ts';
import type { Observation } from '../observations.ts';
import { readIfAny } from './avro-reading.ts';
import { roomOfKey, textOf, viewIn } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { rankOf } from './room-model.ts';
import type { RoomModel } from './room-model.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';

interface Sums {
  sentCoins: bigint;
  sentCount: bigint;
  receivedCoins: bigint;
  receivedCount: bigint;
}
interface StoredGift {
  readonly room: string;
  readonly row: LoggedStep['row'];
  readonly event: Extract<LoggedStep['events'][number], { type: 'RoomGiftSent' }>;
}
interface Shown {
  readonly roomHeat: bigint | null;
  readonly giftRank: readonly object[] | null;
}

/** Makes it; see the file header. */
export const giftSums: CheckerFactory = (world, report) => new GiftSums(world, report);

class GiftSums implements Checker {
  readonly invariants = ['INV-23'];
  private readonly database: CheckedWorld['database'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  /** Places of the longest rank shown so far: no other one is shorter for want of room. */
  private placesMax = 0;

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.database = world.database;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
  }

  observe(observation: Observation): void {
    this.look();
    if (observation.kind !== 'answered') return;
    const { end, call } = observation;
    const view = viewIn(end);
    if (view !== null) this.checkView(view, `the view of call ${call.callId} (${call.client})`);
  }

  atEnd(): void {
    this.look();
    this.checkStats();
    this.checkPeriods();
  }

  private checkStats(): void {
    const sums = this.sumsOfLog();
    for (const key of new Set([...sums.keys(), ...this.database.giftStats.keys()])) {
      const {
        sentCoins = 0n,
        sentCount = 0n,
        receivedCoins = 0n,
        receivedCount = 0n,
      } = this.database.giftStats.get(key) ?? {};
      const stored = textOf({ sentCoins, sentCount, receivedCoins, receivedCount });
      const expected = textOf(sums.get(key) ?? noSums());
      if (stored === expected) continue;
      this.fault(
        key,
        `the sums of ${key.split('\0').at(-1)} are stored as ${stored}, and the log makes ${expected}`,
      );
    }
  }

  private look(): void {
    this.reading.catchUp();
    for (const step of this.steps.fresh()) this.checkStep(step);
  }

  private checkStep({ room, row, events, states, version }: LoggedStep): void {
    const made = states.at(-1);
    if (made === undefined) return;
    for (const [index, event] of events.entries()) {
      const before = states[index]?.heat ?? 0n;
      if (event.type === 'RoomClosed' && event.finalHeat !== before) {
        this.fault(
          room.key,
          `${row.commandId} closed the room with heat ${event.finalHeat}, and it had ${before}`,
        );
      }
      if (event.type !== 'RoomGiftSent') continue;
      const price = event.unitPrice * BigInt(event.giftCount);
      if (event.coins === price && price > 0n) continue;
      this.fault(
        room.key,
        `${row.commandId} gave ${event.giftCount} at ${event.unitPrice} for ${event.coins} coins`,
      );
    }
    if (row.commandType === 'SendGift') {
      const result = readIfAny<{ readonly fields: Shown }>('ResultRecord', row.result);
      const nothing = { roomHeat: null, giftRank: null };
      this.compare(room.key, `the result of ${row.commandId}`, made, result?.fields ?? nothing);
    }
    // Further versions of the same commit are in the rooms row already.
    if (version !== room.current.version) return;
    const heat = this.database.rooms.get(room.key as never)?.heat ?? 0n;
    const listed = this.database.listEntries.get(room.key as never)?.heat ?? 0n;
    if (heat === made.heat && listed === made.heat) return;
    this.fault(
      room.key,
      `heat is ${heat} in the rooms row and ${listed} in the list, and the log makes ${made.heat} at version ${version}`,
    );
  }

  private checkView(view: RoomView, what: string): void {
    const key = `${view.appCode}\0${view.roomId}`;
    const state = this.reading.rooms.get(key)?.states.get(view.version);
    if (state !== undefined) this.compare(key, what, state, view);
  }

  private compare(key: string, what: string, room: RoomModel, shown: Shown): void {
    if (shown.roomHeat !== room.heat) {
      this.fault(
        key,
        `${what} says heat ${shown.roomHeat}, and the log makes ${room.heat} at version ${room.version}`,
      );
    }
    const places = shown.giftRank ?? [];
    this.placesMax = Math.max(this.placesMax, places.length);
    const length = Math.min(room.giftSenders.size, Math.max(this.placesMax, 1));
    const rank = rankOf(room)
      .slice(0, length)
      .map(({ userId, coins }, at) => ({ userId, coins, rank: at + 1 }));
    if (textOf(places) === textOf(rank)) return;
    this.fault(
      key,
      `${what} ranks ${textOf(places)}, and the log makes ${textOf(rank)} at version ${room.version}`,
    );
  }

  private sumsOfLog(): ReadonlyMap<string, Sums> {
    const sums = new Map<string, Sums>();
    const of = (room: string, user: string): Sums => {
      const found = sums.get(`${room}\0${user}`) ?? noSums();
      sums.set(`${room}\0${user}`, found);
      return found;
    };
    for (const { room, event } of this.storedGifts()) {
      const sender = of(room, event.senderUserId);
      sender.sentCoins += event.coins;
      sender.sentCount += BigInt(event.giftCount);
      const target = of(room, event.targetUserId);
      target.receivedCoins += event.coins;
      target.receivedCount += BigInt(event.giftCount);
    }
    return sums;
  }

  /** Days and weeks are those of the log's times, by a calendar that knows nothing of the cell's. */
  private checkPeriods(): void {
    const { roomDays, roomWeeks, userWeeks } = this.database;
    const made = new Map<string, [bigint, bigint]>();
    for (const { room, row, event } of this.storedGifts()) {
      const week = `${room}\0${weekByCalendar(row.decidedAtMs)}`;
      const day = `${room}\0${new Date(row.decidedAtMs).toISOString().slice(0, 10)}`;
      for (const key of [day, week, `${week}\0${event.senderUserId}`]) {
        const [coins, gifts] = made.get(key) ?? [0n, 0n];
        made.set(key, [coins + event.coins, gifts + BigInt(event.giftCount)]);
      }
    }
    const stored = new Map<string, Pick<RoomDayRow, 'coins' | 'giftCount'>>([
      ...roomDays,
      ...roomWeeks,
      ...userWeeks,
    ]);
    for (const key of new Set([...made.keys(), ...stored.keys()])) {
      const { coins = 0n, giftCount = 0n } = stored.get(key) ?? {};
      const [expectedCoins, expectedGifts] = made.get(key) ?? [0n, 0n];
      if (coins === expectedCoins && giftCount === expectedGifts) continue;
      const [, , ...place] = key.split('\0');
      this.fault(
        key,
        `${place.join(' of ')} is stored with ${coins} coins in ${giftCount} gifts, and the log makes ${expectedCoins} in ${expectedGifts}`,
      );
    }
  }

  /** The gifts of log rows that are still stored, without those that count nowhere. */
  private storedGifts(): readonly StoredGift[] {
    return this.reading.steps
      .filter(({ room, row }) => this.database.log.get(`${room.key}\0${row.commandId}`) === row)
      .flatMap(({ room, row, events }) =>
        events.flatMap((event) =>
          event.type === 'RoomGiftSent' && event.isUncounted !== true
            ? [{ room: room.key, row, event }]
            : [],
        ),
      );
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-23', text, room: roomOfKey(key) });
  }
}

/** The ISO week by walking to its Thursday. */
function weekByCalendar(atMs: number): string {
  const thursday = new Date(atMs);
  while (thursday.getUTCDay() !== 1) thursday.setUTCDate(thursday.getUTCDate() - 1);
  thursday.setUTCDate(thursday.getUTCDate() + 3);
  const year = thursday.getUTCFullYear();
  let week = 1;
  for (;;) {
    thursday.setUTCDate(thursday.getUTCDate() - 7);
    if (thursday.getUTCFullYear() !== year) return `${year}-W${String(week).padStart(2, '0')}`;
    week += 1;
  }
}

function noSums(): Sums {
  return { sentCoins: 0n, sentCount: 0n, receivedCoins: 0n, receivedCount: 0n };
}
