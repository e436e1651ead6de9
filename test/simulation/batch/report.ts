/** A run that broke a promise, told to a person: what, when, what led to it, and the room's log. */
import type { Violation } from '../checkers/checker.ts';
import type { RunResult, SeenViolation } from '../run/run-case.ts';

const violationsShown = 5;

/** The whole report, as lines. */
export function reportOf(result: RunResult): readonly string[] {
  const [first] = result.violations;
  if (first === undefined) {
    const { hash, steps, acked } = result;
    return [`no violation: ${steps} events, ${acked} acked, trace hash ${hash}`];
  }
  const room = result.violations.find((violation) => violation.room !== null)?.room ?? null;
  return [
    ...result.violations.slice(0, violationsShown).map(sentenceOf),
    `trace hash ${result.hash}`,
    '',
    `the last events before step ${first.step}:`,
    ...first.lastEvents,
    '',
    ...(room === null ? [] : roomTable(result, room)),
  ];
}

function sentenceOf({ invariant, text, step, atMs }: SeenViolation): string {
  return `${invariant} at step ${step}, ${atMs.toFixed(2)} ms: ${text}`;
}

/** Versions × node × epoch × offset × answered to, with kills and faults between the lines. */
function roomTable(
  { world, history }: RunResult,
  { appCode, roomId }: NonNullable<Violation['room']>,
): readonly string[] {
  const answers = new Map<string, string[]>();
  const marks: { readonly atMs: number; readonly text: string }[] = [];
  for (const seen of history) {
    if (seen.kind === 'answered' && seen.call.ask.kind === 'command') {
      const { meta } = seen.call.ask;
      if (meta.appCode !== appCode || meta.roomId !== roomId) continue;
      const list = answers.get(meta.commandId) ?? [];
      list.push(`${seen.call.callId}:${seen.end.kind}`);
      answers.set(meta.commandId, list);
    } else if (seen.kind === 'pod') {
      marks.push({ atMs: seen.atMs, text: `      ${seen.incarnation} ${seen.what}` });
    } else if (seen.kind === 'fault') {
      marks.push({ atMs: seen.atMs, text: `      fault ${seen.text}` });
    }
  }
  const rows = [...world.database.log.values()]
    .filter((row) => row.appCode === appCode && row.roomId === roomId)
    .map((row) => ({
      atMs: row.decidedAtMs,
      text: [
        `v${row.decidedVersion}`.padEnd(5),
        row.outcome.padEnd(9),
        row.ownerNodeId.padEnd(8),
        `epoch ${row.epoch}`.padEnd(9),
        `p${row.partition}@${row.kafkaOffset ?? '-'}`.padEnd(8),
        `${row.commandType} ${row.commandId}`.padEnd(28),
        `answered ${(answers.get(row.commandId) ?? []).join(' ')}`,
      ].join(' '),
    }));
  const lines = [...rows, ...marks].sort((one, other) => one.atMs - other.atMs);
  return [`room ${appCode}/${roomId}:`, ...lines.map(({ text }) => text)];
}
