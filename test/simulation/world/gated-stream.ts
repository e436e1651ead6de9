/** A stream of messages as a simulated process hears or makes it: each message when it is awake, or never. */
import type { PodGate } from './pod-gate.ts';

/** `open` is called inside the process, and so is the end of the stream. */
export async function* gatedStream<Message>(
  gate: PodGate,
  open: () => AsyncIterable<Message>,
): AsyncGenerator<Message> {
  await gate.awake();
  const messages = open()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await gate.through(messages.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    gate.pass(() => void messages.return?.());
  }
}
