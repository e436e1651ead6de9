/** Prints the story: one line per step with its stage times, then the events and where they arrived. */
import type { ExpectedEvents } from './expected-events.ts';
import { sampleDestinations } from './expected-events.ts';
import type { StageTimes } from './log-lines.ts';
import type { StoryStep } from './stage.ts';

const whatWidth = 42;
const endedWidth = 28;

/** Makes the teller; `timesOf` waits for the command's timing line (null: it never came). */
export function createTeller(
  print: (line: string) => void,
  timesOf: (commandId: string) => Promise<StageTimes | null>,
): (step: StoryStep) => Promise<void> {
  let count = 0;
  return async ({ what, commandId, ended, version }) => {
    count += 1;
    const times = commandId === null ? null : await timesOf(commandId);
    const shownVersion = version === null ? '' : `v${version}`;
    const line = [
      String(count).padStart(2),
      what.padEnd(whatWidth),
      ended.padEnd(endedWidth),
      shownVersion.padStart(4),
      times === null ? '' : timesLine(times),
    ];
    print(line.join('  ').trimEnd());
  };
}

function timesLine(times: StageTimes): string {
  const { totalMs, idempotencyMs, leaseMs, walletDebitMs, saveMutationMs } = times;
  const ms = (value: number): string => value.toFixed(1);
  const stages = [
    `idempotency ${ms(idempotencyMs)}`,
    `lease ${ms(leaseMs)}`,
    ...(walletDebitMs > 0 ? [`wallet ${ms(walletDebitMs)}`] : []),
    `commit ${ms(saveMutationMs)}`,
  ];
  return `${ms(totalMs).padStart(6)} ms (${stages.join(' · ')})`;
}

/** The events of the room with the destinations that have them; call it when all have arrived. */
export function eventLines(expected: ExpectedEvents): string[] {
  const rows = new Map<string, { type: string; commandId: string; to: string[] }>();
  for (const destination of sampleDestinations) {
    for (const { eventId, type, commandId, as } of expected[destination]) {
      const row = rows.get(eventId) ?? { type, commandId, to: [] };
      row.to.push(as === 'message' ? destination : `${destination} (${as})`);
      rows.set(eventId, row);
    }
  }
  return [...rows].map(
    ([eventId, { type, commandId, to }]) =>
      `    ${type.padEnd(20)} ${eventId}  ${commandId.padEnd(26)} → ${to.join(', ')}`,
  );
}
