/**
 * INV-41: nobody is taken out of a room for silence who was heard (PRES-19). A heartbeat that was
 * answered before the sweep began to be decided, and was sent within the time of silence that makes
 * somebody stale, is a sign of life that the sweep must have known; so is a join.
 *
 * When a sweep began to be decided is not seen. It was after the last commit of its own node, since a
 * node decides a batch when the one before is through; a heartbeat answered before that was heard. A
 * heartbeat that the former owner heard counts too: its successor gives everybody a new window.
 */
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { Observation } from '../observations.ts';
import { roomOfKey } from './calls.ts';
import type { CheckedWorld, Checker, CheckerFactory, Violation } from './checker.ts';
import { Cursor, readingOf } from './world-reading.ts';
import type { LoggedStep, RowChange, WorldReading } from './world-reading.ts';

/** What clocks of machines may differ by within one time of silence: a jump, and their rates. */
const toleranceMs = 3_500;

interface SignOfLife {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** Makes it; see the file header. */
export const sweptUsers: CheckerFactory = (world, report) => new SweptUsers(world, report);

class SweptUsers implements Checker {
  readonly invariants = ['INV-41'];
  private readonly world: CheckedWorld;
  private readonly report: (violation: Violation) => void;
  private readonly reading: WorldReading;
  private readonly steps: Cursor<LoggedStep>;
  private readonly rows: Cursor<RowChange<string, LogRow>>;
  /** By app, room and user: those that were answered, the newest last. */
  private readonly signs = new Map<string, SignOfLife[]>();
  /** True time of the newest commit with rows of a node. */
  private readonly lastCommits = new Map<string, number>();

  constructor(world: CheckedWorld, report: (violation: Violation) => void) {
    this.world = world;
    this.report = report;
    this.reading = readingOf(world);
    this.steps = new Cursor(this.reading.steps);
    this.rows = new Cursor(this.reading.log);
  }

  observe(observation: Observation): void {
    if (observation.kind === 'answered') this.heard(observation);
    if (observation.kind !== 'committed') return;
    this.reading.catchUp();
    for (const step of this.steps.fresh()) this.checkStep(step, observation.atMs);
    for (const { after } of this.rows.fresh()) {
      if (after !== undefined) this.lastCommits.set(after.ownerNodeId, observation.atMs);
    }
  }

  private heard({ atMs, call, end }: Extract<Observation, { kind: 'answered' }>): void {
    const { ask, sentAtMs } = call;
    if (end.kind !== 'heartbeatTaken' || !('meta' in ask)) return;
    const { appCode, roomId, actorUserId } = ask.meta;
    const key = `${appCode}\0${roomId}\0${actorUserId}`;
    const signs = this.signs.get(key) ?? [];
    this.signs.set(key, signs);
    signs.push({ sentAtMs, answeredAtMs: atMs });
  }

  private checkStep({ room, row, version, events, states }: LoggedStep, atMs: number): void {
    const staleAfterMs = this.world.presenceStaleAfterMs;
    if (staleAfterMs === undefined) return;
    const decidedAfterMs = this.lastCommits.get(row.ownerNodeId) ?? -Infinity;
    const silentSinceMs = atMs - staleAfterMs + toleranceMs;
    for (const [index, event] of events.entries()) {
      if (event.type !== 'RoomUsersStaleLeft') continue;
      for (const userId of event.userIds) {
        const what = `version ${version} by ${row.commandId} at ${atMs} ms takes ${userId} out for its silence`;
        const sign = this.signs
          .get(`${room.key}\0${userId}`)
          ?.find(({ sentAtMs, answeredAtMs }) => {
            return sentAtMs > silentSinceMs && answeredAtMs < decidedAfterMs;
          });
        if (sign !== undefined) {
          const heard = `a heartbeat of ${sign.sentAtMs} ms was answered at ${sign.answeredAtMs} ms`;
          this.fault(room.key, `${what}, and ${heard}`);
        }
        const joinedAtMs = states[index]?.users.get(userId)?.joinedAtMs;
        if (joinedAtMs !== undefined && Number(joinedAtMs) > silentSinceMs) {
          this.fault(room.key, `${what}, who joined at ${joinedAtMs} ms`);
        }
      }
    }
  }

  private fault(key: string, text: string): void {
    this.report({ invariant: 'INV-41', text, room: roomOfKey(key) });
  }
}
