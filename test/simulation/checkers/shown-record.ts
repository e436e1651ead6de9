/** A record of the display lane as the judges read it. */
import { branchOf, readIfAny } from './avro-reading.ts';
import { isShownBySample } from './robot-ids.ts';
import type { LoggedStep } from './world-reading.ts';

/** Milliseconds within which at most one of a room, type and key leaves; others leave at once. */
const windowsMs: Readonly<Record<string, number>> = {
  RoomUsersCameAndWent: 1_000,
  RoomRocketProgressed: 1_000,
};

/** The same of what robots do in robot rooms. */
const sampleWindowMs = 1_000;

/** What is only shown, which nobody is promised (docs/events.md): written here a second time on purpose. */
export const displayTypes: ReadonlySet<string> = new Set([
  'RoomUsersCameAndWent',
  'RoomGiftBatchShown',
  'RoomRocketProgressed',
  'RoomLuckyWinShown',
]);

/** Where a room may have several of a type at a time: the field that tells them apart. */
const keyFields: Readonly<Record<string, string>> = {
  RoomRocketProgressed: 'roundNo',
  RoomLuckyWinShown: 'targetUserId',
};

/** See the file header. */
export interface ShownRecord {
  readonly roomKey: string;
  readonly eventId: string;
  readonly type: string;
  /** Displays of one room, type and key are gathered and come in order. */
  readonly key: string;
  readonly version: bigint;
  /** Of a copied fact, its place among the events of its version; null: it copies none. */
  readonly index: number | null;
  /** A copied fact that stands for all of its type of a second. */
  readonly isSample: boolean;
  /** Fields of a display; null: it copies a fact. */
  readonly display: Readonly<Record<string, unknown>> | null;
  readonly windowMs: number | null;
}

interface Head {
  readonly eventId: string;
  readonly appCode: string;
  readonly roomId: string;
  readonly roomVersion: bigint;
}

interface Fact extends Head {
  readonly eventType: string;
  readonly eventIndex: number;
  readonly commandId: string;
}

/** Null: it is none, or cannot be read. */
export function shownRecordOf(value: Uint8Array): ShownRecord | null {
  const fact = readIfAny<Fact>('EventEnvelope', value);
  if (fact !== null) {
    const { eventType: type, eventIndex: index, commandId } = fact;
    const isSample = isShownBySample(type, commandId);
    const pace = isSample
      ? { key: 'sample', windowMs: sampleWindowMs }
      : { key: '', windowMs: null };
    return { ...headOf(fact), ...pace, type, index, isSample, display: null };
  }
  const shown = readIfAny<Head & { readonly displayType: string; readonly display: unknown }>(
    'DisplayEnvelope',
    value,
  );
  const branch = branchOf(shown?.display);
  if (shown === null || branch === null || branch.name !== shown.displayType) return null;
  const display = branch.value as Readonly<Record<string, unknown>>;
  const type = branch.name;
  const windowMs = windowsMs[type] ?? null;
  const field = keyFields[type];
  const key = field === undefined ? '' : String(display[field]);
  return { ...headOf(shown), type, key, index: null, isSample: false, display, windowMs };
}

/** Whether what is gathered ends here: nothing of it is told behind this version. */
export function endsGathering({ type }: ShownRecord, step: LoggedStep): boolean {
  const isIgnition = step.events.some((event) => event.type === 'RoomRocketIgnited');
  if (type === 'RoomRocketProgressed' && isIgnition) return true;
  return step.states.at(-1)?.status !== 'active';
}

function headOf({ appCode, roomId, eventId, roomVersion }: Head): {
  readonly roomKey: string;
  readonly eventId: string;
  readonly version: bigint;
} {
  return { roomKey: `${appCode}\0${roomId}`, eventId, version: roomVersion };
}
