/**
 * INV-46: the copy of the room list shows states of rooms that MySQL has had, and once a room was copied
 * under a stamp, for as long as that copy lives, none that is older than the stamp.
 */
import type { Observation } from '../observations.ts';
import { roomOfKey, textOf } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { listedText } from './listed-text.ts';

/** What rooms must be shown as in one life of a copy: the least place in their history. */
interface Known {
  readonly life: string;
  readonly least: Map<string, number>;
}

/** Makes it; see the file header. */
export const copiedList: CheckerFactory = (world, report) => new CopiedList(world, report);

class CopiedList implements Checker {
  readonly invariants = ['INV-46'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  /** By room: every state that its list entry has had, the newest last. */
  private readonly history = new Map<string, string[]>();
  /** By the number of a call, then by stamp: how long each room's history was when it was asked for. */
  private readonly asked = new Map<number, ReadonlyMap<string, number>>();
  private readonly stamps = new Map<string, ReadonlyMap<string, number>>();
  private readonly known = new Map<string, Known>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    world.database.listEntries.watch((key, _, after) => {
      const states = this.history.get(key) ?? [textOf(null)];
      this.history.set(key, states);
      states.push(listedText(after ?? null));
    });
  }

  observe(observation: Observation): void {
    if (observation.kind === 'stampAsked') {
      const lengths = [...this.history].map(([key, states]) => [key, states.length] as const);
      this.asked.set(observation.call, new Map(lengths));
    }
    if (observation.kind === 'stamped') {
      this.stamps.set(observation.stamp, this.asked.get(observation.call) ?? new Map());
      this.asked.delete(observation.call);
    }
    if (observation.kind === 'listCopied') this.copied(observation);
  }

  private copied(seen: Extract<Observation, { kind: 'listCopied' }>): void {
    const { appCode, stamp, roomIds, atMs } = seen;
    const copy = this.world.listCopy?.(appCode) ?? null;
    // Flushed meanwhile.
    if (copy === null || !stamp.startsWith(`${copy.life}.`)) return;
    const before = this.known.get(appCode);
    const known: Known =
      before?.life === copy.life ? before : { life: copy.life, least: new Map<string, number>() };
    this.known.set(appCode, known);
    const floors = this.stamps.get(stamp);
    for (const roomId of roomIds) {
      const key = `${appCode}\0${roomId}`;
      const least = known.least.get(key) ?? 0;
      known.least.set(key, Math.max(least, (floors?.get(key) ?? 1) - 1));
    }
    for (const [key, least] of known.least) {
      const shown = listedText(copy.rooms.get(key.split('\0')[1] ?? '')?.entry ?? null);
      const states = this.history.get(key) ?? [textOf(null)];
      const newest = states.lastIndexOf(shown);
      if (newest >= least) continue;
      const what = newest < 0 ? 'MySQL never had' : `is state ${newest} of ${states.length - 1}`;
      const text = `the copied list shows ${shown} at ${atMs} ms, which ${what}, and state ${least} was copied`;
      this.report({ invariant: 'INV-46', text, room: roomOfKey(key) });
      known.least.set(key, 0);
    }
  }
}
