/**
 * Ports for the processes of one test file. Files run side by side, and a process listens on its port
 * only a while after it was given: so each worker takes its ports from a share of its own.
 */
import { freePort } from '../../../scripts/stack/machine.ts';

/** Shares of the range; at least as many as workers of the project. */
const shares = 4;
const share = Number(process.env['VITEST_POOL_ID'] ?? 0) % shares;

/** Ports that nobody listens on, from below the range from which outgoing connections take theirs. */
export async function ownPorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = await freePort();
    if (port % shares === share) ports.push(port);
  }
  return ports;
}
