/** What somebody reads who has to understand a violation. */
import { describe, expect, it } from 'vitest';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { explainRoom } from '../../../simulation/checkers/explain-room.ts';
import type { Observation } from '../../../simulation/observations.ts';
import { useHealthyRun } from './use-healthy-run.ts';
import { judged } from './judged-run.ts';

const run = useHealthyRun();

function explained(room: string, more: readonly Observation[] = []): readonly string[] {
  const observations = run().flatMap((entry) =>
    entry.kind === 'observed' ? [entry.observation] : [],
  );
  let text = '';
  const beforeEnd = (world: CheckedWorld): void => {
    text = explainRoom(world, { appCode: 'app1', roomId: room }, [...observations, ...more]);
  };
  judged([], run(), { beforeEnd });
  return text.split('\n');
}

describe('a room explained', () => {
  it('begins with what the tables say of it', () => {
    expect(explained('r1')[0]).toMatch(
      /^room app1\/r1: version 25, active, 2 online, heat 50; partition \d owned by b at epoch 2, applied \d+; snapshots of 20, 10$/,
    );
  });

  it('has a line per row with version, node, epoch, offset, end, deliveries and answers', () => {
    const gift = explained('r1').find((line) => line.includes(' g1 '));
    expect(gift).toMatch(
      /^ {3}9 +\d{13} +a +1 +\d\/\d+ +g1 SendGift u1 +applied +im delivered\+activity delivered, im delivered\+activity delivered +call \d+ of client-u1 ok at \d+, call \d+ of client-u1 ok again at \d+$/,
    );
  });

  it('shows what was decided without a version, and by whom nobody was answered', () => {
    const lines = explained('r1').join('\n');
    expect(lines).toMatch(
      /\(6\) +\d+ +a +1 +\S+ +m3 MicUp u3 +rejected +- +call \d+ .* SEAT_TAKEN at/,
    );
    expect(lines).toMatch(
      /8 +\d+ +a +1 +- +sys:mic-publish-timeout:8 ExpireMicPublish system .* nobody/,
    );
  });

  it('marks faults and the lives of pods where they happened', () => {
    const atMs = 1_700_000_000_001;
    const lines = explained('r2', [
      { kind: 'fault', atMs, text: 'the broker is cut off' },
      { kind: 'pod', atMs, pod: 'cell-1', incarnation: 'inc-1', what: 'killed' },
    ]);
    const at = lines.findIndex((line) => line.includes('fault: the broker is cut off'));
    expect(at).toBeGreaterThan(-1);
    expect(lines[at + 1]).toBe(`-- ${atMs} ms: pod cell-1 (inc-1) killed`);
    expect(lines.findIndex((line) => line.includes('c1 CreateRoom u1'))).toBeGreaterThan(at);
  });

  it('names commands that were answered and have no row', () => {
    expect(explained('none').join('\n')).toMatch(
      /room app1\/none has no rooms row[^]*x2 has no row; answered call \d+ of client-u3 refused ROOM_NOT_FOUND at/,
    );
  });
});
