/**
 * Brings what was given to the boards, behind the commits and out of their way. The first gift is
 * brought at once; rooms of those that follow within the interval are brought together, each with the
 * sums that MySQL has by then. What cannot be brought now waits, up to a limit; above it, and when the
 * process dies, a room is short on the boards until its next gift, or until they are rebuilt.
 */
import { splitRoomKey, type AppCode, type RoomId, type RoomKey } from '../domain/ids.ts';
import { Failure } from '../kernel/failure.ts';
import type { BoardSums } from '../ports/board-sums.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import { roomIdsMax } from '../ports/room-queries.ts';
import type { Timers } from '../ports/timers.ts';
import { boardPeriodAt } from '../protocol/board-period.ts';
import { OutageLines } from './outage-lines.ts';
import { PacedRounds } from './paced-rounds.ts';
import { boardsOf } from './shown-boards.ts';

/** What it stands on. */
export interface BoardProjectorPorts {
  readonly leaderboard: Pick<RoomGiftLeaderboard, 'raise'>;
  readonly boardSums: Pick<BoardSums, 'sumsOf'>;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly timers: Timers;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Times in ms. */
export interface BoardProjectorOptions {
  /** Between two rounds. */
  readonly copyIntervalMs: number;
  /** Rooms that may wait, each once per day of its gifts. Full: the newest is dropped and counted. */
  readonly waitingMax: number;
}

/** A room in which something was given, and the time at which the log keeps it. */
export interface GivenRoom {
  readonly roomKey: RoomKey;
  readonly givenAtMs: number;
}

/** See the file header. */
export class BoardProjector {
  private readonly ports: BoardProjectorPorts;
  private readonly options: BoardProjectorOptions;
  /** By day, then by room: gifts of one day count on the same boards. */
  private waiting = new Map<string, Map<RoomKey, GivenRoom>>();
  private waitingRooms = 0;
  private readonly rounds: PacedRounds;
  private stopped = false;
  private readonly outage: OutageLines;

  constructor(ports: BoardProjectorPorts, options: BoardProjectorOptions) {
    this.ports = ports;
    this.options = options;
    this.rounds = new PacedRounds(ports.timers, options.copyIntervalMs, {
      waits: () => this.waitingRooms > 0,
      round: () => this.bringWaiting(),
    });
    this.outage = new OutageLines(ports.log, {
      begun: 'what was given waits to be on the boards',
      over: 'what was given is on the boards again',
    });
  }

  /** Call it after the COMMIT. Never waits and never throws. */
  given(rooms: readonly GivenRoom[]): void {
    if (this.stopped) return;
    for (const room of rooms) this.wait(room);
    this.rounds.wake();
  }

  /** Resolves after one more round over what waits, since nobody else knows of it, or its first failure. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.rounds.stop();
    await this.bringWaiting();
  }

  private wait(room: GivenRoom): void {
    const day = boardPeriodAt('day', room.givenAtMs).name;
    const ofDay = this.waiting.get(day) ?? new Map<RoomKey, GivenRoom>();
    if (ofDay.has(room.roomKey)) return;
    if (this.waitingRooms >= this.options.waitingMax) return this.note('dropped', 1);
    this.waiting.set(day, ofDay.set(room.roomKey, room));
    this.waitingRooms += 1;
  }

  /** One round over everything that waited when it began. */
  private async bringWaiting(): Promise<void> {
    const { waiting } = this;
    this.waiting = new Map();
    this.waitingRooms = 0;
    for (const ofDay of waiting.values()) {
      for (const rooms of byApp([...ofDay.values()])) {
        for (let at = 0; at < rooms.length; at += roomIdsMax) {
          const part = rooms.slice(at, at + roomIdsMax);
          const outcome = await this.bring(part);
          this.note(outcome, part.length);
          if (outcome === 'stored') continue;
          // A stop must not wait for a server that is away.
          if (this.stopped) return;
          for (const room of part) this.wait(room);
        }
      }
    }
  }

  /** Rooms of one app and one day. */
  private async bring(rooms: readonly GivenRoom[]): Promise<'stored' | 'unreachable' | 'failed'> {
    const { leaderboard, boardSums, clock, log } = this.ports;
    const [first] = rooms;
    if (first === undefined) return 'stored';
    const { appCode } = splitRoomKey(first.roomKey);
    const roomIds: readonly RoomId[] = rooms.map(({ roomKey }) => splitRoomKey(roomKey).roomId);
    try {
      for (const { board, keptForMs } of boardsOf(appCode, first.givenAtMs, clock.wallMs())) {
        const sums = await boardSums.sumsOf(appCode, board.period, roomIds);
        const outcome = await leaderboard.raise(board, sums, keptForMs);
        this.outage.note(outcome === 'unreachable' ? { what: 'the boards' } : null);
        if (outcome !== 'stored') return outcome;
      }
      return 'stored';
    } catch (error) {
      // MySQL is away, or a fault of ours: commands go on, and the rooms are looked at again.
      if (error instanceof Failure && error.kind === 'retry') {
        this.outage.note({ what: error.message });
      } else log.error({ error }, 'what was given cannot be brought to the boards');
      return 'failed';
    }
  }

  private note(outcome: string, rooms: number): void {
    this.ports.metrics.count('projection_board_copies_total', { outcome }, rooms);
  }
}

function byApp(rooms: readonly GivenRoom[]): readonly (readonly GivenRoom[])[] {
  const apps = new Map<AppCode, GivenRoom[]>();
  for (const room of rooms) {
    const { appCode } = splitRoomKey(room.roomKey);
    const ofApp = apps.get(appCode);
    if (ofApp === undefined) apps.set(appCode, [room]);
    else ofApp.push(room);
  }
  return [...apps.values()];
}
