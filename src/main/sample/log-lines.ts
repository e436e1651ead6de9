/** Log lines of a roomcell process, read back: addresses, stage times, and what a person must see. */

/** One line. Fields beyond these are the line's own. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly role: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a line; null for text that is no log line of ours. */
export function readLogLine(text: string): LogLine | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Readonly<Record<string, unknown>>;
  const { level, msg, role } = fields;
  if (typeof level !== 'string' || typeof msg !== 'string') return null;
  return { level, msg, role: typeof role === 'string' ? role : '', fields };
}

/** A warning or an error as one line for a person. */
export function lineForPerson({ level, msg, role, fields }: LogLine): string {
  const error = fields['error'];
  const message =
    typeof error === 'object' && error !== null
      ? (error as { readonly message?: unknown }).message
      : error;
  const cause = typeof message === 'string' ? `: ${message}` : '';
  return `${level.toUpperCase()} ${role === '' ? '' : `${role}: `}${msg}${cause}`;
}

/** Stage times of one command, in milliseconds. */
export interface StageTimes {
  readonly idempotencyMs: number;
  readonly leaseMs: number;
  readonly walletDebitMs: number;
  readonly saveMutationMs: number;
  readonly totalMs: number;
}

/** The stage times in a `room_command_timing` line; null for other lines and for repeats. */
export function stageTimesOf({ fields }: LogLine): {
  readonly roomId: string;
  readonly commandId: string;
  readonly times: StageTimes;
} | null {
  if (fields['event'] !== 'room_command_timing' || fields['replayed'] === true) return null;
  const number = (name: string): number => Number(fields[name] ?? 0);
  return {
    roomId: String(fields['room_id']),
    commandId: String(fields['command_id']),
    times: {
      idempotencyMs: number('idempotency_ms'),
      leaseMs: number('lease_ms'),
      walletDebitMs: number('wallet_debit_ms'),
      saveMutationMs: number('save_mutation_ms'),
      totalMs: number('total_ms'),
    },
  };
}
