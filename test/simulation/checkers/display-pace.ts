/**
 * INV-48, of the pace: of one room, type and key at most one display leaves a cell per window, but for
 * the last word: when the room ends, what is gathered does, or the cell is drained.
 */
import type { Observation } from '../observations.ts';
import { roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { endsGathering, shownRecordOf } from './shown-record.ts';
import { readingOf, type WorldReading } from './world-reading.ts';

/** Clocks of processes run a little slower or faster than the world's. */
const driftMs = 10;

/** What a cell has shown last of one line. */
interface Shown {
  readonly atMs: number;
  readonly version: bigint;
  /** It came within the window of the one before: it must have been the last word. */
  readonly isEarly: boolean;
}

/** Makes it; see the file header. */
export const displayPace: CheckerFactory = (world, report) => new DisplayPace(world, report);

class DisplayPace implements Checker {
  readonly invariants = ['INV-48'];
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  /** By life of a cell, epoch, room, type and key. */
  private readonly last = new Map<string, Shown>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.report = report;
    this.reading = readingOf(world);
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'displayOffered') return;
    const { value, incarnation, atMs } = observation;
    const shown = shownRecordOf(value);
    if (shown === null || shown.windowMs === null) return;
    const { roomKey, version, type, key } = shown;
    const step = this.reading.stepAt(roomKey, version);
    if (step === undefined) return;
    const line = [incarnation, step.row.epoch, roomKey, type, key].join('\0');
    const before = this.last.get(line);
    if (endsGathering(shown, step)) {
      this.last.delete(line);
      return;
    }
    if (before?.isEarly === true) {
      const text = `${incarnation} shows ${type} of version ${before.version} within the window of the one before, and then version ${version} (${atMs} ms)`;
      this.report({ invariant: 'INV-48', text, room: roomOfKey(roomKey) });
    }
    const isEarly = before !== undefined && atMs - before.atMs < shown.windowMs - driftMs;
    this.last.set(line, { atMs, version, isEarly });
  }
}
