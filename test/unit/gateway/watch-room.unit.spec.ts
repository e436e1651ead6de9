/** Watched rooms at the gateway: over owners that come and go, until somebody says that it is over. */
import { describe, expect, test } from 'vitest';
import { MemoryReadsNetwork } from '../../../src/drivers/memory/memory-reads-network.ts';
import type { RoomVersion } from '../../../src/domain/ids.ts';
import { createCallGate } from '../../../src/gateway/call-gate.ts';
import { defaultGatewayLimits } from '../../../src/gateway/limits.ts';
import { createWatchRoom } from '../../../src/gateway/watch-room.ts';
import { createDeferred } from '../../../src/kernel/deferred.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { OwnerRow } from '../../../src/ports/partition-store.ts';
import type { Caller } from '../../../src/ports/room-api.ts';
import type { RoomWatchMessage } from '../../../src/ports/room-read-api.ts';
import type { OwnerWatch, OwnerWatches, WatchMessage } from '../../../src/ports/room-watch.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { sampleView } from '../../support/sample-view.ts';
import {
  appCode,
  backend,
  CountingMetrics,
  frame,
  roomId,
  roomKey,
  user,
} from './gateway-fakes.ts';

const limits = { ...defaultGatewayLimits, watchersMax: 2, watchResumeMs: 5_000 };
const asVersion = (version: number): RoomVersion => BigInt(version) as RoomVersion;
const step = (version: number): WatchMessage => ({
  kind: 'step',
  step: { version: asVersion(version), occurredAtMs: 1, events: [] },
});
const resumed = (version: number): WatchMessage => ({
  kind: 'resumed',
  version: asVersion(version),
});
const view = (version: number): WatchMessage => ({
  kind: 'view',
  view: { ...sampleView, version: asVersion(version) },
});
const end = (reason: string, version: number): WatchMessage => ({
  kind: 'end',
  end: { reason, resumeAfterVersion: asVersion(version) },
});

/** What an owner says, one after the other; a failure is thrown, `silence` lasts until it is left. */
type Script = readonly (WatchMessage | Failure | 'silence')[];

function rig() {
  const time = new ManualTime();
  const network = new MemoryReadsNetwork({ clock: time, timers: time });
  const gate = createCallGate();
  gate.open();
  const metrics = new CountingMetrics();
  const banned = new Set<string>();
  const asked: (OwnerWatch & { readonly at: string })[] = [];
  let address = 'cell-a';
  const partitionStore = {
    readOwners: () =>
      Promise.resolve(
        Array.from({ length: 8 }, (_, partition) => ({
          partition,
          advertiseAddr: address,
          released: address === '',
        })) as unknown as OwnerRow[],
      ),
  };
  const roomQueries = {
    isPlatformBanned: (_app: string, userId: string) => Promise.resolve(banned.has(userId)),
  };
  const peers = network.peers();
  const ports = { clock: time, timers: time, metrics, partitionStore, peers, roomQueries };
  const watchRoom = createWatchRoom(ports, { limits, partitionCount: 8, gate });
  /** A cell that says this, a script for each watch that comes; the last one again and again. */
  const cell = async (at: string, ...scripts: readonly Script[]): Promise<void> => {
    const left = [...scripts];
    const watch: OwnerWatches['watch'] = async function* (watched, signal) {
      asked.push({ ...watched, at });
      const script = (left.length > 1 ? left.shift() : left[0]) ?? [];
      for (const said of script) {
        await Promise.resolve();
        if (said instanceof Failure) throw said;
        if (said !== 'silence') {
          yield said;
          continue;
        }
        const over = createDeferred<void>();
        signal.addEventListener('abort', () => over.resolve(), { once: true });
        await over.promise;
      }
    };
    const read = () => Promise.reject(new Error('nobody reads in this test'));
    await network.server(at, { read, watch }).start();
  };
  return {
    time,
    gate,
    metrics,
    banned,
    asked,
    watchRoom,
    cell,
    moveTo: (to: string) => void (address = to),
  };
}

type Rig = ReturnType<typeof rig>;

/** A client that takes everything. */
function watched(
  r: Rig,
  options: {
    readonly caller?: Caller;
    readonly afterVersion?: bigint;
    readonly signal?: AbortSignal;
    readonly authorizedUntilMs?: number;
  } = {},
) {
  const { afterVersion = 0n, caller = backend, signal, authorizedUntilMs } = options;
  const heard: RoomWatchMessage[] = [];
  const call = {
    ...frame({ caller }),
    ...(signal === undefined ? {} : { signal }),
    ...(authorizedUntilMs === undefined ? {} : { authorizedUntilMs }),
  };
  const ending = (async () => {
    try {
      for await (const said of r.watchRoom(call, { appCode, roomId, afterVersion })) {
        heard.push(said);
      }
      return 'ended';
    } catch (error) {
      if (error instanceof Failure) return error.reason;
      throw error;
    }
  })();
  return { heard, ending };
}

const retry = (reason: string): Failure => new Failure('retry', reason, reason);

/** Lets time pass until the watch has ended. */
async function endOf(r: Rig, ending: Promise<string>): Promise<string> {
  let ended: string | null = null;
  void ending.then((how) => (ended = how));
  for (let turn = 0; turn < 200; turn += 1) {
    await settled();
    if (ended !== null) return ended;
    await r.time.advance(100);
  }
  throw new Error('the watch does not end');
}

describe('while the owner stays', () => {
  test('the client hears what the owner says, and not that it still is the owner', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), { kind: 'alive' }, step(4), step(5), end('ROOM_CLOSED', 5)]);
    const { heard, ending } = watched(r, { caller: user, afterVersion: 2n });
    expect(await endOf(r, ending)).toBe('ended');
    expect(heard).toEqual([view(3), step(4), step(5), end('ROOM_CLOSED', 5)]);
    expect(r.asked).toEqual([
      {
        at: 'cell-a',
        roomKey,
        asker: { role: 'user', userId: 'u1' },
        afterVersion: 2n,
        forwardedBy: '',
      },
    ]);
  });

  test('the guard’s no behind a step ends it with that reason, and nobody else is asked', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), step(4), new Failure('reject', 'USER_BANNED', 'no')]);
    const { heard, ending } = watched(r, { caller: user });
    expect(await endOf(r, ending)).toBe('USER_BANNED');
    expect(heard).toEqual([view(3), step(4)]);
    expect(r.asked).toHaveLength(1);
  });

  test('a user who is banned by the platform is not let in at all', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3)]);
    r.banned.add('u1');
    expect(await endOf(r, watched(r, { caller: user }).ending)).toBe('USER_PLATFORM_BANNED');
    expect(r.asked).toEqual([]);
  });

  test.each([[-1n, 'INVALID_FIELD']])(
    'a version of %s is refused',
    async (afterVersion, reason) => {
      expect(await endOf(rig(), watched(rig(), { afterVersion }).ending)).toBe(reason);
    },
  );

  test('one client more than may watch is refused, and let in when another has left', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), 'silence']);
    const caller = new AbortController();
    const first = watched(r, { signal: caller.signal });
    watched(r);
    await settled();
    expect(await endOf(r, watched(r).ending)).toBe('GATEWAY_BUSY');
    caller.abort();
    expect(await first.ending).toBe('ended');
    const next = watched(r);
    await settled();
    expect(next.heard).toEqual([view(3)]);
  });
});

describe('when the owner changes', () => {
  test.each([
    ['says so', end('NOT_OWNER', 5)],
    ['drains', end('DRAINING', 5)],
    ['breaks off', retry('UNAVAILABLE')],
  ])(
    'and the former one %s: a change of the owner repeats nothing and leaves nothing out',
    async (_, how) => {
      const r = rig();
      await r.cell('cell-a', [view(3), step(4), step(5), how]);
      await r.cell('cell-b', [resumed(6), step(6), 'silence']);
      const { heard } = watched(r);
      await settled();
      r.moveTo('cell-b');
      await r.time.advance(200);
      await settled();
      expect(heard).toEqual([view(3), step(4), step(5), step(6)]);
      expect(r.asked.map(({ at, afterVersion }) => [at, afterVersion])).toEqual([
        ['cell-a', 0n],
        ['cell-b', 5n],
      ]);
    },
  );

  test('a frozen owner is left when it is silent for too long, one that says that it is the owner is not', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), { kind: 'alive' }, 'silence']);
    await r.cell('cell-b', [resumed(3), step(4), 'silence']);
    const { heard } = watched(r);
    await settled();
    r.moveTo('cell-b');
    await r.time.advance(9_000);
    await settled();
    expect(heard).toEqual([view(3)]);
    for (let ms = 0; ms < 2_000; ms += 100) {
      await r.time.advance(100);
      await settled();
    }
    expect(heard).toEqual([view(3), step(4)]);
  });

  test('and none is found in time, the client is told where to go on', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), step(4), end('NOT_OWNER', 4)], [retry('NOT_OWNER')]);
    const { heard, ending } = watched(r);
    expect(await endOf(r, ending)).toBe('ended');
    expect(heard.at(-1)).toEqual(end('NOT_OWNER', 4));
    expect(r.time.monoMs()).toBeGreaterThan(limits.watchResumeMs - 1_000);
    expect(r.time.monoMs()).toBeLessThan(limits.watchResumeMs + 1_000);
  });

  test('and it was never reached, the client gets the failure itself', async () => {
    const r = rig();
    r.moveTo('');
    const { heard, ending } = watched(r);
    expect(await endOf(r, ending)).toBe('NOT_OWNER');
    expect(heard).toEqual([]);
  });

  test('and the next one has no place, the client is told where to go on, and why', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), end('NOT_OWNER', 3)], [retry('OWNER_BUSY')]);
    const { heard, ending } = watched(r);
    expect(await endOf(r, ending)).toBe('ended');
    expect(heard).toEqual([view(3), end('OWNER_BUSY', 3)]);
  });
});

describe('a watch is over', () => {
  test('with the drain of the gateway, which does not wait for it, and says where to go on', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), step(4), 'silence']);
    const { heard, ending } = watched(r);
    await settled();
    await r.gate.drain();
    expect(await ending).toBe('ended');
    expect(heard).toEqual([view(3), step(4), end('DRAINING', 4)]);
    expect(await watched(r).ending).toBe('DRAINING');
  });

  test('also while it looks for an owner', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), end('NOT_OWNER', 3)], [retry('NOT_OWNER')]);
    const { heard, ending } = watched(r);
    await settled();
    await r.gate.drain();
    expect(await ending).toBe('ended');
    expect(heard).toEqual([view(3), end('DRAINING', 3)]);
  });

  test('with its token', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), 'silence']);
    const { heard, ending } = watched(r, { authorizedUntilMs: r.time.wallMs() + 1_000 });
    await settled();
    await r.time.advance(999);
    await settled();
    expect(heard).toEqual([view(3)]);
    await r.time.advance(1);
    expect(await ending).toBe('UNAUTHENTICATED');
  });

  test('with its client, without a word', async () => {
    const r = rig();
    await r.cell('cell-a', [view(3), 'silence']);
    const caller = new AbortController();
    const { heard, ending } = watched(r, { signal: caller.signal });
    await settled();
    caller.abort();
    expect(await ending).toBe('ended');
    expect(heard).toEqual([view(3)]);
  });
});
