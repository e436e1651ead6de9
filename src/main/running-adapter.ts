/** What the adapters' roles have in common: one destination's topic, one sender, the outbox. */
import { adapterDefaults, type AdapterOptions } from '../adapters/adapter-options.ts';
import { createAdapter } from '../adapters/adapter.ts';
import type { EventSender } from '../adapters/event-sender.ts';
import { createEnvelopeReader } from '../adapters/read-envelope.ts';
import { createLaunchScheduling } from '../adapters/schedule-launches.ts';
import type { RocketLaunchScheduler } from '../ports/rocket-scheduler.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import type { RoleName } from './role.ts';
import type { RunningStage } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** An adapter around `sender`, reading its destination's topic; `scheduler` hears of its ignitions. */
export function runningAdapter(
  context: WiringContext,
  role: RoleName,
  sender: EventSender,
  scheduler: RocketLaunchScheduler | null = null,
): RunningStage {
  const { clock, timers, random, log, metrics, trace, drivers, config } = context;
  let isCrashed = false;
  const source = drivers.eventSource(sender.destination, context.driverPorts);
  const readEnvelope = createEnvelopeReader(context.codec, drivers.stores.schemaRegistry);
  const adapter = createAdapter(
    {
      source,
      store: drivers.stores.outboxStore,
      readEnvelope,
      wake: drivers.wake,
      clock,
      timers,
      random,
      log,
      metrics,
      trace,
      ...(scheduler === null
        ? {}
        : { onDelivered: createLaunchScheduling({ scheduler, readEnvelope, log, metrics }) }),
      onCrashed: (cause) => {
        isCrashed = true;
        context.crashed(role, cause);
      },
    },
    sender,
    adapterOptions(config),
  );
  return {
    start: () => adapter.start(),
    drain: () => adapter.drain(),
    stop: () => adapter.stop(),
    readiness: () =>
      isCrashed ? { ready: false, reasons: ['its consumer died'] } : { ready: true, reasons: [] },
  };
}

/** Several stages as one: started in their order, ready when all are. */
export function stagesTogether(stages: readonly RunningStage[]): RunningStage {
  const all = (act: (stage: RunningStage) => Promise<void>): Promise<void> =>
    Promise.all(stages.map(act)).then(() => undefined);
  return {
    async start() {
      for (const stage of stages) await stage.start();
    },
    drain: () => all((stage) => stage.drain()),
    stop: () => all((stage) => stage.stop()),
    readiness() {
      const reasons = stages.flatMap((stage) => [...stage.readiness().reasons]);
      return { ready: stages.every((stage) => stage.readiness().ready), reasons };
    },
  };
}

function adapterOptions({ outboxWorker }: RoomcellConfig): AdapterOptions {
  return {
    ...adapterDefaults,
    lockMs: outboxWorker.claimLockMs,
    sendTimeoutMs: outboxWorker.publishTimeoutMs,
    maxRetryCount: outboxWorker.maxRetryCount,
    backoff: { initialMs: outboxWorker.initialBackoffMs, maxMs: outboxWorker.maxBackoffMs },
  };
}
