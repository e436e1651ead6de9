/**
 * One process with some roles, from configuration to exit code: log and metrics, the operations
 * port, the shared drivers, the host, and what signals and last-resort errors do.
 */
import { startOpsServer, type OpsServer } from '../drivers/http/ops-server.ts';
import { createBoundedOutput } from '../drivers/pino/bounded-output.ts';
import { createPinoLog } from '../drivers/pino/pino-log.ts';
import { metricTable } from '../drivers/prometheus/metric-table.ts';
import { createPrometheusMetrics } from '../drivers/prometheus/prometheus-metrics.ts';
import type { PrometheusMetrics } from '../drivers/prometheus/prometheus-metrics.ts';
import { createCountingTrace } from '../drivers/system/counting-trace.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Trace } from '../ports/trace.ts';
import type { RoomcellConfig } from './config/config-schema.ts';
import type { DriverSet } from './driver-set.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { listenAddressOf } from './listen-address.ts';
import { handleProcessEvents } from './process-events.ts';
import { createRoleHost, type RoleHost } from './role-host.ts';
import { roleTable } from './role-table.ts';
import { roleNames, type RoleName } from './role.ts';
import { createWiringContext, nodeIdOf, type WiringContext } from './wiring-context.ts';

/** Log lines that may wait for a slow reader: about twenty thousand. */
const logBufferBytesMax = 8 * 1024 * 1024;
/** Longest wait for the log's reader when the process ends. */
const logFlushMs = 500;
/** A change of readiness is in the log after at most so long. */
const readinessLookMs = 500;

/**
 * Runs the roles until the process is told to stop; resolves with its exit code. `makeTrace` is what
 * a fault test exchanges, `exchange` what a hostile one does.
 */
export async function runRoles(
  config: RoomcellConfig,
  wanted: readonly RoleName[],
  makeTrace: (metrics: Metrics) => Trace = createCountingTrace,
  exchange?: (drivers: DriverSet) => DriverSet,
): Promise<ExitCode> {
  const roles = roleNames.filter((name) => wanted.includes(name));
  const output = createBoundedOutput(process.stdout, logBufferBytesMax);
  const log = createPinoLog({
    level: config.log.level,
    base: { node_id: nodeIdOf(config), pid: process.pid },
    output,
  });
  const prometheus = createPrometheusMetrics(metricTable, { processMetrics: true });
  const context: WiringContext = createWiringContext({
    config,
    roles,
    log,
    metrics: prometheus.metrics,
    trace: makeTrace(prometheus.metrics),
    crashed: (role, cause) => host.stop({ kind: 'crashed', role, cause }),
    ...(exchange === undefined ? {} : { exchange }),
  });
  const host = createRoleHost({
    log,
    timers: context.timers,
    clock: context.clock,
    drainTimeoutMs: config.drainTimeoutMs,
    readinessLookMs,
    roles: roles.map((name) => roleTable[name](context)),
  });
  handleProcessEvents(process, {
    log,
    onSignal: (signal) => host.stop({ kind: 'signal', signal }),
    flush: () => output.flush(logFlushMs),
  });
  log.info({ roles, incarnation: context.incarnation }, 'starting');
  const { warning } = context.drivers;
  if (warning !== null) log.warn({ drivers: config.drivers }, warning);
  const code = await runWithOps(config, {
    host,
    log,
    prometheus,
    dropped: () => output.droppedLines(),
    warning,
  });
  await closeContext(context);
  log.info({ exit_code: code }, 'the process ends');
  await output.flush(logFlushMs);
  return code;
}

async function runWithOps(
  config: RoomcellConfig,
  parts: {
    readonly host: RoleHost;
    readonly log: Log;
    readonly prometheus: PrometheusMetrics;
    readonly dropped: () => number;
    readonly warning: string | null;
  },
): Promise<ExitCode> {
  const { host, log, prometheus, dropped, warning } = parts;
  let ops: OpsServer;
  try {
    ops = await startOpsServer(listenAddressOf(config.ops.listen), {
      readiness: () => ({ ...host.readiness(), ...(warning === null ? {} : { warning }) }),
      partitions: () => host.partitions(),
      metricsContentType: prometheus.contentType,
      metricsText: () => {
        prometheus.metrics.gauge('ready', host.readiness().ready ? 1 : 0);
        prometheus.metrics.gauge('log_lines_dropped', dropped());
        return prometheus.text();
      },
    });
  } catch (error) {
    log.error({ listen: config.ops.listen, error }, 'ops.listen cannot be had');
    return exitCodes.failed;
  }
  const { host: listenHost, port } = listenAddressOf(ops.address);
  log.info({ event: 'listening', what: 'ops', host: listenHost, port }, 'probes are served');
  try {
    return await host.run();
  } finally {
    await ops.stop();
  }
}

async function closeContext(context: WiringContext): Promise<void> {
  try {
    await context.close();
  } catch (error) {
    context.log.warn({ error }, 'the shared connections did not close cleanly');
  }
}
