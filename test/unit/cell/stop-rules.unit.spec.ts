/** When a partition stands still, and how it goes on. */
import { describe, expect, it } from 'vitest';
import { resolutionOf, stopOf, type LogLook } from '../../../src/cell/partition/stop-rules.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import {
  stopChoices,
  type PartitionStop,
  type PartitionStopState,
  type StopChoice,
} from '../../../src/ports/partition-stops.ts';

const lookOf = (fields: Partial<LogLook> = {}): LogLook => ({
  partition: 3,
  appliedOffset: 9n,
  acceptedHint: -1n,
  range: { startOffset: 4n, endOffset: 20n },
  committedOffset: null,
  ...fields,
});

describe('a partition', () => {
  it.each([
    ['the log holds what comes next', {}],
    ['the log begins with what comes next', { range: { startOffset: 10n, endOffset: 20n } }],
    ['the log ends where it goes on', { range: { startOffset: 4n, endOffset: 10n } }],
    [
      'nothing was ever applied of a whole log',
      { appliedOffset: -1n, range: { startOffset: 0n, endOffset: 0n } },
    ],
    ['the hint is where the database is', { committedOffset: 10n }],
    ['the hint is behind', { committedOffset: 2n }],
    ['the hint is ahead, and that was accepted', { committedOffset: 15n, acceptedHint: 15n }],
    ['the hint is of a longer log', { committedOffset: 21n }],
  ] as const)('runs when %s', (_when, fields) => {
    expect(stopOf(lookOf(fields))).toBeNull();
  });

  it.each([
    [
      'GAP',
      'records behind the applied one are gone',
      { range: { startOffset: 11n, endOffset: 20n } },
    ],
    ['GAP', 'nothing was applied and the log’s start is gone', { appliedOffset: -1n }],
    ['TOPIC_CHANGED', 'the log ends below it', { range: { startOffset: 0n, endOffset: 9n } }],
    ['DB_REWOUND', 'the hint is ahead', { committedOffset: 11n }],
    [
      'DB_REWOUND',
      'the hint is further ahead than accepted',
      { committedOffset: 15n, acceptedHint: 14n },
    ],
    [
      'GAP',
      'the log begins behind it, whatever the hint says',
      { range: { startOffset: 11n, endOffset: 20n }, committedOffset: 15n },
    ],
  ] as const)('stands still as %s when %s', (state, _when, fields) => {
    const look = lookOf(fields);
    expect(stopOf(look)).toEqual({
      partition: 3,
      state,
      expectedOffset: look.appliedOffset + 1n,
      logStartOffset: look.range.startOffset,
      logEndOffset: look.range.endOffset,
      committedOffset: look.committedOffset ?? -1n,
    });
  });
});

describe('an operator’s word', () => {
  const stop: PartitionStop = {
    partition: 3,
    state: 'GAP',
    expectedOffset: 10n,
    logStartOffset: 14n,
    logEndOffset: 20n,
    committedOffset: 12n,
  };
  const by = { operatorId: 'op' as UserId, acceptedAtMs: 1 };
  const how = (state: PartitionStopState, choice: StopChoice, replayUntil = -1n) =>
    resolutionOf(
      { ...stop, state },
      { choice, replayUntil, ...by },
      { startOffset: 15n, endOffset: 20n },
    );
  const usual = { isRenumbered: false, replayUntil: -1n, acceptedHint: 12n };

  it('skips to where the log begins by now', () => {
    expect(how('GAP', 'skip')).toEqual({ ...usual, appliedOffset: 14n });
  });

  it('begins another log at its start and forgets the old numbers', () => {
    const fresh = { ...usual, appliedOffset: 14n, isRenumbered: true };
    expect(how('TOPIC_CHANGED', 'restart')).toEqual(fresh);
  });

  it('resumes where the database stands, or replays from there', () => {
    expect(how('DB_REWOUND', 'resume')).toEqual({ ...usual, appliedOffset: 9n });
    const replayed = { ...usual, appliedOffset: 9n, replayUntil: 18n };
    expect(how('DB_REWOUND', 'replay', 18n)).toEqual(replayed);
  });

  it('that answers another state does nothing', () => {
    const all: readonly StopChoice[] = ['skip', 'restart', 'resume', 'replay'];
    for (const state of ['GAP', 'TOPIC_CHANGED', 'DB_REWOUND'] as const) {
      const meant = all.filter((choice) => how(state, choice) !== null);
      expect(meant).toEqual(stopChoices[state]);
    }
  });
});
