/**
 * What adapters put on the wire, byte for byte: taps that stand before the sandbox's IM and activity
 * service, keep what passes and hand it on unchanged.
 */
import { createActivityServer } from '../../../src/drivers/grpc/activity-grpc-server.ts';
import { ActivityIngest } from '../../../src/drivers/grpc/generated/roomcell/v1/activity_pb.ts';
import type { IngestRequest } from '../../../src/drivers/grpc/generated/roomcell/v1/activity_pb.ts';
import { createGrpcClient } from '../../../src/drivers/grpc/grpc-client.ts';
import { startHttpServer } from '../../../src/drivers/sandbox/http-json.ts';
import { driverDeps } from '../../support/driver-deps.ts';
import type { Fleet } from './fleet.ts';

/** Running taps. */
export interface Taps {
  /** Bodies of the requests to IM, in their order. */
  readonly im: readonly string[];
  /** Requests to IM with such a body are answered 502 and go no further. Default: none. */
  imRefuses: (body: string) => boolean;
  /** Events on their way to the activity service, in their order, alone or in batches. */
  readonly activity: readonly IngestRequest[];
  /** Configuration that leads an adapter through them. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** Opens both; close them after the adapters' end. */
export async function openTaps(fleet: Fleet): Promise<Taps> {
  const deps = driverDeps();
  const im: string[] = [];
  const activity: IngestRequest[] = [];
  const imServer = await startHttpServer({ host, port: 0 }, async ({ method, url, text }) => {
    im.push(text);
    if (taps.imRefuses(text)) return { kind: 'text', status: 502, body: 'Bad Gateway' };
    const onward = new URL(url.pathname + url.search, fleet.sandboxAddresses.im);
    const answer = await fetch(onward, { method, body: text });
    return { kind: 'text', status: answer.status, body: await answer.text() };
  });
  const onward = createGrpcClient(ActivityIngest, fleet.sandboxAddresses.activity, deps.clock);
  const activityServer = createActivityServer(
    {
      host,
      port: 0,
      receiver: {
        async ingest(request, signal) {
          activity.push(request);
          const { duplicate } = await onward.calls.ingest(request, { timeoutMs: 5_000, signal });
          return { kind: 'taken', duplicate };
        },
        async ingestBatch(events, signal) {
          activity.push(...events);
          const request = { events: [...events] };
          const { taken } = await onward.calls.ingestBatch(request, { timeoutMs: 5_000, signal });
          return { kind: 'front', taken, notTaken: null };
        },
      },
    },
    deps,
  );
  const port = await activityServer.start();
  const taps: Taps = {
    im,
    activity,
    imRefuses: () => false,
    env: {
      ROOMCELL_TENCENT_IM_APPS_DEMO_BASE_URL: imServer.url,
      ROOMCELL_ACTIVITY_ADDR: `${host}:${port}`,
    },
    async close() {
      await activityServer.stop(0);
      onward.close();
      await imServer.stop();
    },
  };
  return taps;
}
