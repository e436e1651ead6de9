/** Role `adapter-im`: room events to Tencent Cloud IM, one client per app. */
import { createImSender } from '../adapters/im/im-adapter.ts';
import type { AppCode } from '../domain/ids.ts';
import type { StoppableImClient } from './outside-clients.ts';
import type { Role } from './role.ts';
import { runningAdapter } from './running-adapter.ts';
import { stagedRole } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** The end of a room takes two calls; a row must still end within `outbox_worker.publish_timeout`. */
const callsPerRowMax = 2;

/** Makes the role. */
export function wireAdapterIm(process: WiringContext): Role {
  const context = process.forRole('adapter-im');
  const { log, timers, clock } = context;
  return stagedRole({
    name: 'adapter-im',
    log,
    timers,
    async prepare(waiting, resources) {
      await context.foundation.ready(waiting);
      const clients = clientsOf(context);
      resources.add('IM connections', () => {
        for (const client of clients.values()) client.stop();
        return Promise.resolve();
      });
      return runningAdapter(context, 'adapter-im', createImSender({ clients, clock, timers }));
    },
  });
}

function clientsOf({ config, outside }: WiringContext): Map<AppCode, StoppableImClient> {
  const callTimeoutMs = Math.max(
    1,
    Math.floor(config.outboxWorker.publishTimeoutMs / callsPerRowMax),
  );
  return new Map(
    [...config.tencentIm.apps].map(([appCode, app]) => [
      appCode as AppCode,
      outside.im(app, callTimeoutMs),
    ]),
  );
}
