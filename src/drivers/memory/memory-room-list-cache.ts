/**
 * Memory twin of the copy of the room list: one node's connection to the server that leases live in,
 * so that a flush empties both. What the scripts of `drivers/redis/list-scripts.ts` do, on plain maps.
 */
import type { AppCode, RoomId } from '../../domain/ids.ts';
import { assert } from '../../kernel/assert.ts';
import type { Random } from '../../ports/random.ts';
import { copiesMax } from '../../ports/room-list-cache.ts';
import type {
  CachedListQuery,
  CachedPage,
  CopyOutcome,
  ListStamp,
  PassEnd,
  RoomCopy,
  RoomListCache,
} from '../../ports/room-list-cache.ts';
import { cursorOf, listPageSizeOf, roomIdsMax } from '../../ports/room-queries.ts';
import type { ListEntry } from '../../ports/room-queries.ts';
import { inListOrder, isBehind } from './list-rows.ts';
import type { MemoryLeaseServer, ServerAnswer } from './memory-lease-server.ts';

/** Times in ms. */
export interface MemoryRoomListCacheSettings {
  readonly readBudgetMs: number;
  /** Default 1,000. */
  readonly writeBudgetMs?: number;
}

/** What the server holds of one app. */
interface AppCopy {
  readonly life: string;
  clock: number;
  floor: number;
  /** By room, also of those that are not listed (entry null). */
  readonly rooms: Map<RoomId, { readonly at: number; readonly entry: ListEntry | null }>;
}

const defaultWriteBudgetMs = 1_000;
const lifeBytes = 8;

/** See the file header. */
export class MemoryRoomListCache implements RoomListCache {
  private readonly settings: MemoryRoomListCacheSettings;
  private readonly server: MemoryLeaseServer;
  private readonly random: Random;

  constructor(settings: MemoryRoomListCacheSettings, server: MemoryLeaseServer, random: Random) {
    this.settings = settings;
    this.server = server;
    this.random = random;
  }

  async page(query: CachedListQuery): Promise<CachedPage> {
    const answer = await this.server.request((): CachedPage => {
      const copy = this.readyCopy(query.appCode);
      if (copy === null) return { kind: 'not_ready' };
      const page = [...copy.rooms.values()]
        .flatMap(({ entry }) => (entry !== null && isAsked(entry, query) ? [entry] : []))
        .map((entry) => ({ entry, place: cursorOf(entry) }))
        .filter(({ place }) => isBehind(place, query.after))
        .sort((one, other) => inListOrder(one.place, other.place))
        .slice(0, listPageSizeOf(query.pageSize));
      const entries = page.map(({ entry }) => entry);
      return { kind: 'page', entries, next: page.at(-1)?.place ?? null };
    }, this.settings.readBudgetMs);
    return answer.kind === 'answered' ? answer.value : answer;
  }

  async stamp(appCode: AppCode): Promise<ListStamp | null> {
    const newLife = this.random.hex(lifeBytes, 'list life');
    const answer = await this.write((): ListStamp => {
      const copy = this.server.document<AppCopy>(nameOf(appCode), () => {
        return { life: newLife, clock: 0, floor: 0, rooms: new Map() };
      });
      copy.clock += 1;
      return { life: copy.life, at: copy.clock };
    });
    return answer.kind === 'answered' ? answer.value : null;
  }

  async put(appCode: AppCode, stamp: ListStamp, rooms: readonly RoomCopy[]): Promise<CopyOutcome> {
    assert(rooms.length <= copiesMax, 'too many rooms in one copy', { rooms: rooms.length });
    const answer = await this.write((): CopyOutcome => {
      const copy = this.find(appCode);
      if (copy?.life !== stamp.life || stamp.at < copy.floor) return 'too_late';
      for (const { roomId, entry } of rooms) {
        const at = copy.rooms.get(roomId)?.at ?? -1;
        if (at >= stamp.at) continue;
        const listed = entry?.status === 'active' ? entry : null;
        copy.rooms.set(roomId, { at: stamp.at, entry: listed });
      }
      return 'stored';
    });
    return answer.kind === 'answered' ? answer.value : 'unreachable';
  }

  async endPass(appCode: AppCode, begun: ListStamp, readyForMs: number): Promise<PassEnd> {
    const answer = await this.write((): PassEnd => {
      const copy = this.find(appCode);
      if (copy?.life !== begun.life) return { kind: 'too_late' };
      copy.floor = Math.max(copy.floor, begun.at);
      const old = [...copy.rooms].filter(([, { at }]) => at < begun.at);
      for (const [roomId, { entry }] of old) if (entry === null) copy.rooms.delete(roomId);
      const left = old.flatMap(([roomId, { entry }]) => (entry === null ? [] : [roomId]));
      if (left.length > 0) return { kind: 'left_behind', roomIds: left.slice(0, roomIdsMax) };
      this.server.key(readyName(appCode)).set(copy.life, readyForMs);
      return { kind: 'ready' };
    });
    return answer.kind === 'answered' ? answer.value : answer;
  }

  async isReady(appCode: AppCode): Promise<boolean | null> {
    const answer = await this.write(() => this.readyCopy(appCode) !== null);
    return answer.kind === 'answered' ? answer.value : null;
  }

  async claimPasses(holder: string, ttlMs: number): Promise<boolean> {
    const answer = await this.write(() => {
      const key = this.server.key('room:list:passes');
      const held = key.get();
      if (held !== null && held !== holder) return false;
      key.set(holder, ttlMs);
      return true;
    });
    return answer.kind === 'answered' && answer.value;
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  private write<T>(work: () => T): Promise<ServerAnswer<T>> {
    return this.server.request(work, this.settings.writeBudgetMs ?? defaultWriteBudgetMs);
  }

  private find(appCode: AppCode): AppCopy | null {
    return this.server.documentIfAny<AppCopy>(nameOf(appCode));
  }

  private readyCopy(appCode: AppCode): AppCopy | null {
    const copy = this.find(appCode);
    return copy !== null && this.server.read(readyName(appCode)) === copy.life ? copy : null;
  }
}

function nameOf(appCode: AppCode): string {
  return `room:list:${appCode}`;
}

function readyName(appCode: AppCode): string {
  return `${nameOf(appCode)}:ready`;
}

function isAsked(entry: ListEntry, { visibleRegionId, mode }: CachedListQuery): boolean {
  return (
    (visibleRegionId === null || entry.visibleRegionId === visibleRegionId) &&
    (mode === null || entry.mode === mode)
  );
}
