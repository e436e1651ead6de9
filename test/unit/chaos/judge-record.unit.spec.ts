/** The record of a run, judged: a whole one is clean, and each kind of harm is red. */
import { beforeAll, describe, expect, it } from 'vitest';
import { lossesOf } from '../../chaos/run/counts.ts';
import { judgeRecord } from '../../chaos/judge/judge-record.ts';
import type { ChaosRecord, TableRows } from '../../chaos/record/chaos-record.ts';
import type { LogRow } from '../../../src/ports/commit-lane.ts';
import type { RoomVersion } from '../../../src/domain/ids.ts';
import { asShown } from './as-shown.ts';
import { simulatedRecord } from './simulated-record.ts';

/** With faults, takeovers and gifts in it. */
const seed = 3;
let record: ChaosRecord;

beforeAll(async () => {
  record = await simulatedRecord(seed);
});

const changed = (tables: Partial<TableRows>): ChaosRecord => ({
  ...record,
  tables: { ...record.tables, ...tables },
});
const invariantsOf = (doctored: ChaosRecord): readonly string[] => [
  ...new Set(judgeRecord(doctored).violations.map(({ invariant }) => invariant)),
];

/** An applied command in the middle of a history, that somebody was answered. */
function answeredRow(): LogRow {
  const answered = new Set(
    record.history.flatMap((seen) => {
      if (seen.kind !== 'answered' || seen.end.kind !== 'ok') return [];
      const { ask } = seen.call;
      return ask.kind === 'command' ? [`${ask.meta.roomId} ${ask.meta.commandId}`] : [];
    }),
  );
  const row = record.tables.log.find(({ appliedVersion, roomId, commandId }) => {
    return (appliedVersion ?? 0n) > 3n && answered.has(`${roomId} ${commandId}`);
  });
  if (row === undefined) throw new Error('the record has no such row');
  return row;
}

describe('judging the record of a run', () => {
  it('finds nothing in the records of simulated runs with faults (TST-1, TST-2, TST-13)', async () => {
    for (const each of [1, 2, seed, 4, 5]) {
      const { violations } = judgeRecord(await simulatedRecord(each));
      expect(violations).toEqual([]);
    }
  });

  it('cries LOST when an answered command has no row (INV-1)', () => {
    const lost = answeredRow();
    const { violations } = judgeRecord(
      changed({ log: record.tables.log.filter((row) => row !== lost) }),
    );
    expect(lossesOf(violations).lost).toBeGreaterThan(0);
    expect(violations.map(({ invariant }) => invariant)).toContain('INV-1');
  });

  it('cries DOUBLED when a command has two rows (INV-2)', () => {
    const row = answeredRow();
    const { violations } = judgeRecord(changed({ log: [...record.tables.log, { ...row }] }));
    expect(lossesOf(violations).doubled).toBeGreaterThan(0);
    expect(violations.map(({ invariant }) => invariant)).toContain('INV-2');
  });

  it('cries DOUBLED when a gift was paid twice (INV-22)', () => {
    const [debit] = record.wallet.entries.filter(({ kind }) => kind === 'debit');
    if (debit === undefined) throw new Error('nobody paid');
    const entries = [...record.wallet.entries, debit];
    const doctored = { ...record, wallet: { ...record.wallet, entries } };
    expect(invariantsOf(doctored)).toEqual(expect.arrayContaining(['INV-22', 'INV-25']));
  });

  it('cries FORKED when two rows made one version, or one was made on another history (INV-5)', () => {
    const row = answeredRow();
    const other = { ...row, commandId: `${row.commandId}x` as LogRow['commandId'] };
    expect(invariantsOf(changed({ log: [...record.tables.log, other] }))).toEqual(
      expect.arrayContaining(['INV-2', 'INV-5']),
    );
    const elsewhere = { ...row, chainHash: new Uint8Array(32) };
    const log = record.tables.log.map((each) => (each === row ? elsewhere : each));
    const { violations } = judgeRecord(changed({ log }));
    expect(lossesOf(violations).forked).toBeGreaterThan(0);
  });

  it('cries FORKED when a former owner decided behind its successor (INV-10, INV-12)', () => {
    const newest = record.tables.log.reduce((one, each) => (each.epoch > one.epoch ? each : one));
    const late = {
      ...newest,
      commandId: 'late' as LogRow['commandId'],
      appliedVersion: (newest.decidedVersion + 1n) as RoomVersion,
      decidedAtMs: newest.decidedAtMs + 1,
      epoch: newest.epoch - 1n,
      kafkaOffset: null,
    };
    const found = invariantsOf(changed({ log: [...record.tables.log, late] }));
    expect(found).toEqual(expect.arrayContaining(['INV-10', 'INV-12']));
  });

  it('cries when tables disagree, an event is missing outside, or an offset was forgotten (INV-9, INV-17, INV-11)', () => {
    const [event] = record.tables.events;
    const events = record.tables.events.filter((row) => row !== event);
    expect(invariantsOf(changed({ events }))).toContain('INV-9');
    const arrivals = record.arrivals.filter(({ roomId }) => roomId !== event?.roomId);
    expect(invariantsOf({ ...record, arrivals })).toContain('INV-17');
    const lost = answeredRow();
    const log = record.tables.log.filter((row) => row !== lost);
    // Without the deaths and cuts for which a node may have told nobody.
    const history = record.history.filter(({ kind }) => kind !== 'pod' && kind !== 'fault');
    expect(invariantsOf({ ...changed({ log }), history })).toContain('INV-11');
  });

  it('takes answers over gRPC for what they show, and cries when they show something else (INV-1)', () => {
    const shownAs = (change: (fields: object) => object): ChaosRecord => ({
      ...record,
      history: record.history.map((seen) => {
        if (seen.kind !== 'answered' || seen.end.kind !== 'ok') return seen;
        const shown = asShown(seen.end.result);
        const result = { ...shown, fields: change(shown.fields) };
        return { ...seen, end: { ...seen.end, result } };
      }),
    });
    const joined = record.history.filter((seen) => {
      return seen.kind === 'answered' && seen.end.kind === 'ok' && 'user' in seen.end.result.fields;
    });
    expect(joined).not.toEqual([]);
    expect(invariantsOf(shownAs((fields) => fields))).toEqual([]);
    expect(invariantsOf(shownAs((fields) => ({ ...fields, seatNo: 99 })))).toContain('INV-1');
  });

  it('takes a refusal as expired for free where a later try was executed, and for wrong where the row was there (INV-15)', () => {
    const row = answeredRow();
    const answered = record.history.find((seen) => {
      return (
        seen.kind === 'answered' &&
        seen.call.ask.kind === 'command' &&
        seen.call.ask.meta.commandId === row.commandId &&
        seen.call.ask.meta.roomId === row.roomId
      );
    });
    if (answered?.kind !== 'answered') throw new Error('no answer');
    const again = (sentAtMs: number): ChaosRecord => {
      const call = { ...answered.call, callId: 1_000_000, sentAtMs };
      const end = { kind: 'refused', reason: 'EXPIRED', facts: {} } as const;
      const atMs = record.history.at(-1)?.atMs ?? 0;
      const history = [
        ...record.history,
        { kind: 'sent', atMs, call } as const,
        { kind: 'answered', atMs, call, end } as const,
      ];
      return { ...record, history };
    };
    expect(invariantsOf(again(row.decidedAtMs - 1))).not.toContain('INV-15');
    expect(invariantsOf(again(row.decidedAtMs + 1))).toContain('INV-15');
  });
});
