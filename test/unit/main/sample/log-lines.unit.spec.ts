/** Log lines of a child are read back without trust in their form. */
import { describe, expect, it } from 'vitest';
import { lineForPerson, readLogLine, stageTimesOf } from '../../../../src/main/sample/log-lines.ts';
import { StageTimesBook } from '../../../../src/main/sample/stage-times-book.ts';
import { ManualTime } from '../../../support/manual-time.ts';

function line(fields: Record<string, unknown>) {
  const read = readLogLine(JSON.stringify({ level: 'info', msg: 'm', ...fields }));
  if (read === null) throw new Error('not read');
  return read;
}

const timing = {
  event: 'room_command_timing',
  room_id: 'r1',
  command_id: 'c1',
  total_ms: 9,
  lease_ms: 1,
  save_mutation_ms: 5,
  idempotency_ms: 2,
};

describe('log lines', () => {
  it.each(['', 'plain text', '{"level":1}', '[]', 'null', '{'])('%j is none', (text) => {
    expect(readLogLine(text)).toBeNull();
  });

  it('tell a person role, message and cause', () => {
    const error = { message: 'ECONNREFUSED' };
    const shown = lineForPerson(line({ level: 'warn', role: 'cell', msg: 'waiting', error }));
    expect(shown).toBe('WARN cell: waiting: ECONNREFUSED');
  });

  it('give the stage times of a first execution, not of a repeat', () => {
    expect(stageTimesOf(line(timing))?.times.saveMutationMs).toBe(5);
    expect(stageTimesOf(line({ ...timing, replayed: true }))).toBeNull();
    expect(stageTimesOf(line({ ...timing, event: 'other' }))).toBeNull();
  });

  it('are waited for a moment, whichever comes first', async () => {
    const time = new ManualTime();
    const book = new StageTimesBook('r1', time);
    const early = book.of('c1');
    book.read(line(timing));
    expect((await early)?.totalMs).toBe(9);
    expect((await book.of('c1'))?.totalMs).toBe(9);
    const never = book.of('c2');
    book.read(line({ ...timing, command_id: 'c2', room_id: 'another' }));
    await time.advance(1_000);
    expect(await never).toBeNull();
  });
});
