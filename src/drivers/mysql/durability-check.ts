/**
 * Whether the server keeps what it says it committed. A command counts when its transaction
 * commits (architecture section 1), so a server that may lose commits makes every reply a lie. The
 * caller decides what to do: a cell refuses to start, a test goes on.
 */
import type { MysqlPool } from './pool.ts';

/** A server setting that risks committed data. */
export interface DurabilityFinding {
  readonly variable: string;
  readonly value: string;
  readonly wanted: string;
  /** The sentence for the operator. */
  readonly refusal: string;
}

/** Answers the risky settings, none when all is well. Throws a Retry failure as the pool does. */
export async function checkDurability(pool: MysqlPool): Promise<readonly DurabilityFinding[]> {
  const rows = await pool.rows(
    'reading the durability settings',
    "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', " +
      "'log_bin', 'sync_binlog')",
  );
  const values = new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
  return durabilityFindings(values);
}

/** The judgement alone, over variable names and values as SHOW VARIABLES writes them. */
export function durabilityFindings(
  values: ReadonlyMap<string, string>,
): readonly DurabilityFinding[] {
  const findings: DurabilityFinding[] = [];
  const expect = (variable: string, wanted: string, loss: string): void => {
    const value = values.get(variable) ?? 'not known';
    if (value === wanted) return;
    const refusal = `MySQL has ${variable} = ${value}: ${loss} Set it to ${wanted}.`;
    findings.push({ variable, value, wanted, refusal });
  };
  expect(
    'innodb_flush_log_at_trx_commit',
    '1',
    'a crash of the machine can lose commands whose callers were told that they are done.',
  );
  // Without a binary log there is nothing to sync.
  if (values.get('log_bin') === 'ON' || values.get('log_bin') === '1') {
    expect(
      'sync_binlog',
      '1',
      'after a crash of the machine replicas and backups can differ from what was committed.',
    );
  }
  return findings;
}
