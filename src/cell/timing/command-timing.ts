/**
 * `room_command_timing`: one line per write command, also for rejected, refused and repeated ones
 * (TIME-1 … TIME-14). `total_ms` is looked at first, then the stages.
 */
import type { CellContext } from '../cell-context.ts';
import type { CommandClock } from '../work.ts';

/** What a line says beside the stage times. */
export interface TimedCommand {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandType: string;
  readonly commandId: string;
  readonly actorUserId: string;
  readonly outcome: string;
  readonly reason: string;
  readonly roomVersion: bigint;
  readonly replayed: boolean;
  /** Whether outbox rows for these destinations were written (TIME-10, TIME-11). */
  readonly activityAsyncOutbox: boolean;
  readonly tencentImAsyncOutbox: boolean;
}

/** Writes the line and the duration metric. */
export function logCommandTiming(
  context: CellContext,
  command: TimedCommand,
  clock: CommandClock,
): void {
  const totalMs = context.clock.monoMs() - clock.readAtMonoMs;
  context.metrics.observeMs('cell_command_ms', totalMs, { outcome: command.outcome });
  context.log.info(
    {
      event: 'room_command_timing',
      app_code: command.appCode,
      room_id: command.roomId,
      command_type: command.commandType,
      command_id: command.commandId,
      user_id: command.actorUserId,
      node_id: context.options.nodeId,
      room_version: command.roomVersion,
      outcome: command.outcome,
      reason: command.reason,
      replayed: command.replayed,
      idempotency_ms: rounded(clock.idempotencyMs),
      lease_ms: rounded(clock.leaseMs),
      wallet_debit_ms: rounded(clock.walletDebitMs),
      save_mutation_ms: rounded(clock.saveMutationMs),
      // Other snapshots than forced ones, and projections, run after the reply (TIME-6, TIME-7).
      snapshot_ms: rounded(clock.snapshotMs),
      projection_ms: 0,
      // Nothing outside but the wallet is called on the command path (TIME-4, TIME-8, TIME-9).
      activity_ms: 0,
      tencent_im_ms: 0,
      activity_async_outbox: command.activityAsyncOutbox,
      tencent_im_async_outbox: command.tencentImAsyncOutbox,
      total_ms: rounded(totalMs),
    },
    'room_command_timing',
  );
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
