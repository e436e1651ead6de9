/** Which server settings are refused because they can lose what was committed. */
import { describe, expect, it } from 'vitest';
import { durabilityFindings } from '../../../../src/drivers/mysql/durability-check.ts';

const findings = (values: Record<string, string>): readonly string[] =>
  durabilityFindings(new Map(Object.entries(values))).map((finding) => finding.variable);

describe('the durability of a server', () => {
  it.each([
    [
      'flushes each commit, no binary log',
      { innodb_flush_log_at_trx_commit: '1', log_bin: 'OFF', sync_binlog: '0' },
      [],
    ],
    [
      'flushes each commit, syncs its binary log',
      { innodb_flush_log_at_trx_commit: '1', log_bin: 'ON', sync_binlog: '1' },
      [],
    ],
    [
      'flushes once a second',
      { innodb_flush_log_at_trx_commit: '2', log_bin: 'OFF' },
      ['innodb_flush_log_at_trx_commit'],
    ],
    [
      'syncs its binary log now and then',
      { innodb_flush_log_at_trx_commit: '1', log_bin: 'ON', sync_binlog: '0' },
      ['sync_binlog'],
    ],
    ['says nothing', {}, ['innodb_flush_log_at_trx_commit']],
  ])('of one that %s', (_what, values, refused) => {
    expect(findings(values)).toEqual(refused);
  });

  it('is refused in a sentence that names the setting and the value to give it', () => {
    const values = new Map([['innodb_flush_log_at_trx_commit', '0']]);
    const refusal = durabilityFindings(values)[0]?.refusal ?? '';
    expect(refusal).toContain('innodb_flush_log_at_trx_commit = 0');
    expect(refusal).toContain('Set it to 1.');
  });
});
