/**
 * Memory twin of the boards: one node's connection to the server that leases live in, so that a flush
 * empties both. What the scripts of `drivers/redis/board-scripts.ts` do, on plain maps.
 */
import type { RoomId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { BoardSum } from '../../ports/board-sums.ts';
import {
  boardPlacesMax,
  boardSumsMax,
  rebuildSilenceMs,
} from '../../ports/room-gift-leaderboard.ts';
import type {
  Board,
  BoardOutcome,
  BoardPage,
  BoardQuery,
  RoomGiftLeaderboard,
} from '../../ports/room-gift-leaderboard.ts';
import { listPageSizeOf } from '../../ports/room-queries.ts';
import type { MemoryLeaseServer, ServerAnswer } from './memory-lease-server.ts';

/** Times in ms. */
export interface MemoryRoomGiftLeaderboardSettings {
  readonly readBudgetMs: number;
  /** Default 1,000. */
  readonly writeBudgetMs?: number;
}

/** What the server holds of one board. */
interface BoardDocument {
  shown: Map<RoomId, bigint>;
  next: Map<RoomId, bigint>;
  /** Whether `shown` is gone when its key has ended. */
  hasEnd: boolean;
}

const defaultWriteBudgetMs = 1_000;

/** The document under this name holds a board; a simulation's judge looks at it. */
export function boardDocumentName({ appCode, period }: Board): string {
  return `room:board:${appCode}:${period.name}`;
}

/** See the file header. */
export class MemoryRoomGiftLeaderboard implements RoomGiftLeaderboard {
  private readonly settings: MemoryRoomGiftLeaderboardSettings;
  private readonly server: MemoryLeaseServer;

  constructor(settings: MemoryRoomGiftLeaderboardSettings, server: MemoryLeaseServer) {
    this.settings = settings;
    this.server = server;
  }

  async page({ after, pageSize, ...board }: BoardQuery): Promise<BoardPage> {
    const answer = await this.server.request((): BoardPage => {
      const ranked = ranking(this.document(board).shown);
      const behind = ranked.filter((sum) => after === null || inBoardOrder(after, sum) < 0);
      return { kind: 'page', places: behind.slice(0, listPageSizeOf(pageSize)) };
    }, this.settings.readBudgetMs);
    return answer.kind === 'answered' ? answer.value : answer;
  }

  async raise(
    board: Board,
    sums: readonly BoardSum[],
    keptForMs: number | null,
  ): Promise<Exclude<BoardOutcome, 'lost'>> {
    assert(sums.length <= boardSumsMax, 'too many rooms in one write', { rooms: sums.length });
    if (sums.length === 0) return 'stored';
    const answer = await this.write(() => {
      const document = this.document(board);
      raise(document.shown, sums);
      this.keep(board, document, keptForMs);
      if (this.rebuildKey(board).get() !== null) raise(document.next, sums);
    });
    return answer.kind === 'answered' ? 'stored' : 'unreachable';
  }

  async beginRebuild(board: Board, rebuildId: string): Promise<BoardOutcome> {
    const answer = await this.write(() => {
      this.document(board).next = new Map();
      this.rebuildKey(board).set(rebuildId, rebuildSilenceMs);
    });
    return answer.kind === 'answered' ? 'stored' : 'unreachable';
  }

  addToRebuild(board: Board, rebuildId: string, sums: readonly BoardSum[]): Promise<BoardOutcome> {
    assert(sums.length <= boardSumsMax, 'too many rooms in one write', { rooms: sums.length });
    return this.rebuilding(board, rebuildId, () => {
      this.rebuildKey(board).set(rebuildId, rebuildSilenceMs);
      raise(this.document(board).next, sums);
    });
  }

  endRebuild(board: Board, rebuildId: string, keptForMs: number | null): Promise<BoardOutcome> {
    return this.rebuilding(board, rebuildId, () => {
      const document = this.document(board);
      document.shown = document.next;
      document.next = new Map();
      this.keep(board, document, keptForMs);
      this.rebuildKey(board).delete();
    });
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  private async rebuilding(
    board: Board,
    rebuildId: string,
    work: () => void,
  ): Promise<BoardOutcome> {
    const answer = await this.write((): BoardOutcome => {
      if (this.rebuildKey(board).get() !== rebuildId) return 'lost';
      work();
      return 'stored';
    });
    return answer.kind === 'answered' ? answer.value : 'unreachable';
  }

  private write<T>(work: () => T): Promise<ServerAnswer<T>> {
    return this.server.request(work, this.settings.writeBudgetMs ?? defaultWriteBudgetMs);
  }

  private document(board: Board): BoardDocument {
    const name = boardDocumentName(board);
    const document = this.server.document<BoardDocument>(name, () => {
      return { shown: new Map(), next: new Map(), hasEnd: false };
    });
    if (document.hasEnd && this.server.read(`${name}:kept`) === null) document.shown = new Map();
    return document;
  }

  private keep(board: Board, document: BoardDocument, keptForMs: number | null): void {
    document.hasEnd = keptForMs !== null;
    if (keptForMs !== null) this.server.key(`${boardDocumentName(board)}:kept`).set('', keptForMs);
  }

  private rebuildKey(board: Board) {
    return this.server.key(`${boardDocumentName(board)}:rebuild`);
  }
}

function raise(rooms: Map<RoomId, bigint>, sums: readonly BoardSum[]): void {
  for (const { roomId, coins } of sums) {
    if (coins > (rooms.get(roomId) ?? 0n)) rooms.set(roomId, coins);
  }
  for (const { roomId } of ranking(rooms).slice(boardPlacesMax)) rooms.delete(roomId);
}

function ranking(rooms: ReadonlyMap<RoomId, bigint>) {
  return [...rooms]
    .map(([roomId, coins]) => ({ roomId, coins }))
    .sort(inBoardOrder)
    .map((sum, at) => ({ ...sum, rank: at + 1 }));
}

function inBoardOrder(one: BoardSum, other: BoardSum): number {
  if (one.coins !== other.coins) return one.coins > other.coins ? -1 : 1;
  return one.roomId < other.roomId ? -1 : one.roomId > other.roomId ? 1 : 0;
}
