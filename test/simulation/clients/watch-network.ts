/** The network between watchers and gateways: each message takes its way, and none overtakes another. */
import type { RoomWatchMessage } from '../../../src/ports/room-read-api.ts';
import type { AskedWatch, WatchStop } from '../observations.ts';
import type { Pod, PodStreamEnd } from '../world/pod.ts';
import type { World } from '../world/world.ts';
import { endOfFailure } from './client-call.ts';
import type { WatchAsk } from './room-watcher.ts';

/** See the file header. Tells who asked, and what was told. */
export class WatchNetwork {
  private readonly world: World;
  private watches = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** One stream; resolves with its end for the client. */
  async watch(
    ask: WatchAsk,
    hear: (message: RoomWatchMessage) => void,
    hangUp: AbortSignal,
  ): Promise<WatchStop> {
    const { kernel } = this.world;
    const gateways = this.world.podsOf('gateway');
    const pod = gateways[ask.gateway % gateways.length] as Pod;
    this.watches += 1;
    const watch: AskedWatch = { ...ask, watchId: this.watches, gateway: pod.name };
    this.world.observe({ kind: 'watchAsked', atMs: kernel.trueMs, watch });
    await this.onTheWay();
    const left = new AbortController();
    const leave = (): void => pod.enter(() => left.abort());
    hangUp.addEventListener('abort', leave, { once: true });
    const { appCode, roomId, role, userId, afterVersion } = watch;
    const caller = { appCode, subject: userId === '' ? watch.client : userId, role };
    const frame = { caller, authFault: '', remainingMs: null, signal: left.signal };
    let isStopped = false;
    const end = await pod.stream(
      (api) => api.watchRoom(frame, { appCode, roomId, afterVersion }),
      async (message) => {
        await this.onTheWay();
        // The connection ended meanwhile, and with it what was on its way.
        if (isStopped) return;
        this.world.observe({ kind: 'watchTold', atMs: kernel.trueMs, watch, message });
        hear(message);
      },
    );
    isStopped = true;
    hangUp.removeEventListener('abort', leave);
    const stop = stopOf(end);
    this.world.observe({ kind: 'watchStopped', atMs: kernel.trueMs, watch, stop });
    return stop;
  }

  private onTheWay(): Promise<void> {
    const { kernel, latency } = this.world;
    const ms = latency.drawNearMs();
    return ms === 0 ? Promise.resolve() : kernel.timersOf('watcher').sleep(ms);
  }
}

function stopOf(end: PodStreamEnd): WatchStop {
  if (end.kind === 'over') return { kind: 'over' };
  if (end.kind !== 'error') return { kind: 'cut' };
  const failure = endOfFailure(end.error);
  return { kind: 'failed', reason: 'reason' in failure ? failure.reason : failure.kind };
}
