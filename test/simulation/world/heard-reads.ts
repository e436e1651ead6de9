/** Reads and watches of another node as a simulated process makes them and hears of them. */
import type { OwnerReads, OwnerReply } from '../../../src/ports/owner-reads.ts';
import type { OwnerWatches } from '../../../src/ports/room-watch.ts';
import { gatedPort } from './gated-port.ts';
import { gatedStream } from './gated-stream.ts';
import type { PodGate } from './pod-gate.ts';

/** What a node is asked by others. */
export type Served = OwnerReads & OwnerWatches;

/** The node as a process behind a gate asks it. */
export function heardBy(gate: PodGate, node: Served): Served {
  const { read } = gatedPort<OwnerReads>({ read: (...call) => ownCall(node, ...call) }, gate);
  return {
    read,
    watch: (watch, signal) => gatedStream(gate, () => node.watch(watch, signal)),
  };
}

/** A call with a signal of its own: what has ended, also by its time, is heard of and leaves nothing. */
async function ownCall(
  node: OwnerReads,
  ...[read, { withinMs, signal }]: Parameters<OwnerReads['read']>
): Promise<OwnerReply> {
  const own = new AbortController();
  const end = (): void => own.abort();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await node.read(read, { withinMs, signal: own.signal });
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
