/**
 * INV-30: two apps with the same room id share nothing. Ids that follow from an app (events, mic
 * sessions, receipts, debit keys) are of one app only, rows lie under their own app's key, and a
 * view shows the room of the app that asked.
 */
import { roomOfKey } from './calls.ts';
import type { Observation } from '../observations.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, WorldReading } from './world-reading.ts';

/** Makes it; see the file header. */
export const appsApart: CheckerFactory = (world, report) => new AppsApart(world, report);

class AppsApart implements Checker {
  readonly invariants = ['INV-30'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly events: Cursor<WorldReading['events'][number]>;
  private readonly log: Cursor<WorldReading['log'][number]>;
  /** App of each id that was met, by kind and id. */
  private readonly appOf = new Map<string, string>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
    this.events = new Cursor(this.reading.events);
    this.log = new Cursor(this.reading.log);
  }

  observe({ kind }: Observation): void {
    if (kind === 'committed') this.look();
  }

  private look(): void {
    this.reading.catchUp();
    for (const { row, events, room } of this.steps.fresh()) {
      for (const event of events) {
        if (event.type === 'RoomMicUp') this.meet('mic session', event.micSessionId, room.key);
        if (event.type !== 'RoomGiftSent') continue;
        this.meet('receipt', event.billingReceiptId, `${row.appCode}\0${row.roomId}`);
      }
    }
    for (const { key, after } of this.events.fresh()) {
      if (after !== undefined) this.meet('event', key, `${after.appCode}\0${after.roomId}`);
    }
    for (const { key, after } of this.log.fresh()) {
      if (after !== undefined)
        this.checkKey('log row', key, `${after.appCode}\0${after.roomId}\0${after.commandId}`);
    }
  }

  atEnd(): void {
    this.look();
    const { database, wallet } = this.world;
    for (const { debitKey, appCode, roomId } of database.settlements.values()) {
      this.meet('debit key', debitKey, `${appCode}\0${roomId}`);
    }
    for (const { key, appCode } of wallet.ledger.keys())
      this.meet('debit key', key, `${appCode}\0`);
    for (const table of [database.rooms, database.listEntries] as const) {
      for (const [key, row] of table) this.checkKey('room', key, `${row.appCode}\0${row.roomId}`);
    }
    for (const [key, row] of database.giftStats) {
      this.checkKey('row of sums', key, `${row.appCode}\0${row.roomId}\0${row.userId}`);
    }
    for (const [key, row] of database.roomDays) {
      this.checkKey('day', key, `${row.appCode}\0${row.roomId}\0${row.utcDay}`);
    }
    for (const [key, row] of [...database.roomWeeks, ...database.userWeeks]) {
      const user = 'userId' in row ? `\0${String(row.userId)}` : '';
      this.checkKey('week', key, `${row.appCode}\0${row.roomId}\0${row.isoWeek}${user}`);
    }
  }

  private meet(kind: string, id: string, roomKey: string): void {
    const appCode = roomKey.slice(0, roomKey.indexOf('\0'));
    const known = this.appOf.get(`${kind}\0${id}`);
    this.appOf.set(`${kind}\0${id}`, known ?? appCode);
    if (known === undefined || known === appCode) return;
    this.fault(roomKey, `the ${kind} ${id} is of ${known} and of ${appCode}`);
  }

  private checkKey(kind: string, key: string, own: string): void {
    if (key === own) return;
    this.fault(
      own,
      `a ${kind} of ${own.replaceAll('\0', '/')} lies under ${key.replaceAll('\0', '/')}`,
    );
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-30', text, room: roomOfKey(key) });
  }
}
