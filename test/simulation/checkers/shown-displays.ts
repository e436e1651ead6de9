/**
 * INV-48: what the display lane shows is the picture of a committed version, of the owner that committed
 * it, made of what the log says and of nothing twice; a copied fact is the fact itself and of a type that
 * was given to the lane; records of one room, type and key come in the order of their versions; and
 * IM gets no display that no cell has shown. That one is missing breaks nothing.
 */
import type { Observation } from '../observations.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { wayToIm } from './required-destinations.ts';
import { displayTypes, shownRecordOf, type ShownRecord } from './shown-record.ts';
import { readingOf, type LoggedStep, type WorldReading } from './world-reading.ts';

/** Users that one display names. */
const namesMax = 10;

/** Makes it; see the file header. */
export const shownDisplays: CheckerFactory = (world, report) => new ShownDisplays(world, report);

class ShownDisplays implements Checker {
  readonly invariants = ['INV-48'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  /** The version of the last picture, by life of a cell, epoch, room, type and key. */
  private readonly last = new Map<string, bigint>();
  /** The place of the last record on the topic, by epoch, room, type and key. */
  private readonly stored = new Map<string, readonly [bigint, number]>();
  /** By id: texts of the bytes that were offered. */
  private readonly offered = new Map<string, Set<string>>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
  }

  observe(observation: Observation): void {
    if (observation.kind === 'displayOffered') this.offeredTo(observation);
    if (observation.kind === 'appended' && observation.topic === this.world.displaysTopic) {
      this.appended(observation);
    }
    if (observation.kind === 'arrived' && observation.destination === 'im') {
      this.arrived(observation);
    }
  }

  private offeredTo(seen: Extract<Observation, { kind: 'displayOffered' }>): void {
    const { pod, incarnation, value } = seen;
    const shown = shownRecordOf(value);
    if (shown === null) return this.fault('', `${incarnation} shows what cannot be read`);
    const texts = this.offered.get(shown.eventId) ?? new Set();
    this.offered.set(shown.eventId, texts.add(textOfBytes(value)));
    const step = this.stepOf(shown);
    const what = `${incarnation} shows ${named(shown)} (${seen.atMs} ms)`;
    if (step === undefined) return this.fault(shown.roomKey, `${what}, which is not committed`);
    if (step.row.ownerNodeId !== pod) {
      this.fault(shown.roomKey, `${what}, which ${step.row.ownerNodeId} committed`);
    }
    const wrong = shown.display === null ? this.wrongCopy(shown, value) : null;
    if (wrong !== null) this.fault(shown.roomKey, `${what}, ${wrong}`);
    if (shown.display !== null) this.checkPicture(shown, step, incarnation, what);
  }

  private wrongCopy(shown: ShownRecord, value: Uint8Array): string | null {
    const row = this.world.database.events.get(shown.eventId as never);
    if (row === undefined) return 'which is no committed event';
    if (textOfBytes(row.envelope) !== textOfBytes(value)) return 'with other bytes than the event';
    const step = this.stepOf(shown);
    const users = step?.states.at(-1)?.users.size ?? 0;
    const { eventType } = row;
    const commandId = step?.row.commandId ?? '';
    const way = wayToIm({ eventType, commandId, users }, this.world.lanes);
    return way === 'display' ? null : `which goes to IM another way (${way})`;
  }

  private checkPicture(shown: ShownRecord, step: LoggedStep, life: string, what: string): void {
    const line = `${life}\0${step.row.epoch}\0${lineOf(shown)}`;
    const before = this.last.get(line) ?? 0n;
    this.last.set(line, shown.version);
    if (shown.version <= before) {
      return this.fault(shown.roomKey, `${what} behind the one of version ${before}`);
    }
    const expected = this.pictureOf(shown, step, before);
    const held = textOf(shown.display);
    if (held === expected) return;
    this.fault(shown.roomKey, `${what} as ${held}, and the log makes ${expected}`);
  }

  /** What must be shown, as a text, when the owner has shown nothing of the kind since version `before`. */
  private pictureOf(shown: ShownRecord, step: LoggedStep, before: bigint): string {
    if (shown.type === 'RoomUsersCameAndWent') return this.comingsAndGoings(step, before);
    if (shown.type === 'RoomRocketProgressed') return progressOf(step);
    if (shown.type === 'RoomLuckyWinShown') return bigWinOf(step, shown.key);
    const gifts = step.events.flatMap((event) => (event.type === 'RoomGiftSent' ? [event] : []));
    const [first] = gifts;
    if (first === undefined || gifts.length < 2) return 'no gift to several';
    const { senderUserId, giftId, giftCount } = first;
    return textOf({
      ...{ senderUserId, giftId, giftCount },
      targetUserIds: gifts.map(({ targetUserId }) => targetUserId),
      totalCoins: gifts.reduce((sum, { coins }) => sum + coins, 0n),
      // No event has it.
      comboId: shown.display?.['comboId'],
    });
  }

  private comingsAndGoings(step: LoggedStep, before: bigint): string {
    const joined: object[] = [];
    const left: string[] = [];
    for (let version = before + 1n; version <= step.version; version += 1n) {
      const of = step.room.steps.get(version);
      const users = of?.states.at(-1)?.users.size ?? 0;
      if (of === undefined || of.row.epoch !== step.row.epoch) continue;
      for (const event of of.events) {
        const made = { eventType: event.type, commandId: of.row.commandId, users };
        if (wayToIm(made, this.world.lanes) !== 'gathered') continue;
        if (event.type === 'RoomUserLeft') left.push(event.userId);
        if (event.type !== 'RoomUserJoined') continue;
        const { userId, profile, isRobot } = event;
        joined.push({ userId, profile, isRobot });
      }
    }
    return textOf({
      joined: joined.slice(-namesMax),
      joinedCount: joined.length,
      leftUserIds: left.slice(-namesMax),
      leftCount: left.length,
      onlineCount: step.states.at(-1)?.users.size ?? 0,
    });
  }

  private appended({ value, offset }: Extract<Observation, { kind: 'appended' }>): void {
    const shown = value === null ? null : shownRecordOf(value);
    if (value === null || shown === null) return;
    const what = `${named(shown)} is put on the display topic (offset ${offset})`;
    if (this.offered.get(shown.eventId)?.has(textOfBytes(value)) !== true) {
      return this.fault(shown.roomKey, `${what}, and no cell has shown it`);
    }
    // Records of two owners may pass each other.
    const isOrderedByItself = shown.index === null || shown.isSample;
    const line = `${this.stepOf(shown)?.row.epoch}\0${isOrderedByItself ? lineOf(shown) : shown.roomKey}`;
    const [version, index] = this.stored.get(line) ?? [0n, 0];
    const isBehind =
      shown.version < version || (shown.version === version && (shown.index ?? 0) < index);
    if (isBehind) this.fault(shown.roomKey, `${what} behind version ${version}.${index}`);
    else this.stored.set(line, [shown.version, shown.index ?? 0]);
  }

  private arrived({ eventId, bytes, ...at }: Extract<Observation, { kind: 'arrived' }>): void {
    if (this.world.lanes === undefined || this.offered.has(eventId)) return;
    const type = textIn(bytes, 'type');
    if (!displayTypes.has(type)) return;
    const text = `${type} ${eventId} arrived at im, and no cell has shown it`;
    this.fault(`${at.appCode}\0${at.roomId}`, text);
  }

  private stepOf({ roomKey, version }: ShownRecord): LoggedStep | undefined {
    return this.reading.stepAt(roomKey, version);
  }

  private fault(roomKey: string, text: string): void {
    this.report({ invariant: 'INV-48', text, room: roomKey === '' ? null : roomOfKey(roomKey) });
  }
}

/** The draw of one target, where it won ten times what was spent, as the configuration says. */
function bigWinOf({ events }: LoggedStep, targetUserId: string): string {
  const gift = events.find(
    (event) => event.type === 'RoomGiftSent' && event.targetUserId === targetUserId,
  );
  if (gift?.type !== 'RoomGiftSent' || !gift.luckyDraw) return 'no draw';
  const { senderUserId, giftId, giftCount, luckyDraw } = gift;
  const { multiplierPercent, prizeCoins } = luckyDraw;
  if (multiplierPercent < 1_000) return 'no big win';
  return textOf({ senderUserId, targetUserId, giftId, giftCount, multiplierPercent, prizeCoins });
}

/** The rocket as the step leaves it, unless it says nothing of it or its countdown runs. */
function progressOf({ events, states }: LoggedStep): string {
  const { rocket } = states.at(-1) ?? { rocket: null };
  const told = events.map(({ type }) => type).findLast((type) => type.startsWith('RoomRocket'));
  const isCounting = told === 'RoomRocketFueled' && rocket?.ignition !== null;
  if (told === undefined || rocket === null || isCounting) return 'no progress of a rocket';
  const { roundNo, level, fuel, fuelTarget } = rocket;
  return textOf({ roundNo, level, fuel, fuelTarget });
}

/** A text field of what IM got; '' without it. */
export function textIn(bytes: Uint8Array, field: string): string {
  try {
    const read = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>;
    const held = read[field];
    return typeof held === 'string' ? held : '';
  } catch {
    return '';
  }
}

function lineOf({ roomKey, type, key }: ShownRecord): string {
  return `${roomKey}\0${type}\0${key}`;
}

function named({ type, version, index, eventId }: ShownRecord): string {
  return `${type} ${eventId} of version ${version}${index === null ? '' : `.${index}`}`;
}

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
