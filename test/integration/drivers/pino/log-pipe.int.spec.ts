/** F9: the reader of the log's pipe is asleep, on a real pipe and a real process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

const moduleUrl = new URL('../../../../dist/src/drivers/pino/bounded-output.js', import.meta.url);

/** Logs 20 MB through 1 MB of buffer, counts turns of its event loop meanwhile, ends with code 7. */
const program = `
import { createBoundedOutput } from '${moduleUrl.href}';
const output = createBoundedOutput(process.stdout, 1_000_000);
const line = 'x'.repeat(999) + '\\n';
let turns = 0;
const turning = setInterval(() => (turns += 1), 5);
for (let batch = 0; batch < 20; batch += 1) {
  for (let n = 0; n < 1_000; n += 1) output.write(line);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
clearInterval(turning);
await output.flush(300);
process.send({ dropped: output.droppedLines(), turns }, () => process.exit(7));
`;

describe('a process whose log nobody reads', () => {
  it('goes on with its work, drops what does not fit, and still exits', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      // The pipe of stdout is never read: no listener, and paused streams read nothing.
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    const [report] = (await once(child, 'message')) as [{ dropped: number; turns: number }];
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    expect(report.dropped).toBeGreaterThan(10_000);
    expect(report.turns).toBeGreaterThan(0);
    expect(code).toBe(7);
  });
});
