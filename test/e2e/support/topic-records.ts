/** Records of a fleet's topics, read by an observer from the beginning. */
import type { Fleet } from './fleet.ts';
import { observerOf } from './observe.ts';

/** The values of a topic's records until `isEnough` says so; rejects after `limitMs`. */
export async function valuesOf(
  fleet: Fleet,
  topic: string,
  isEnough: (values: readonly Buffer[]) => boolean,
  limitMs = 30_000,
): Promise<readonly Buffer[]> {
  const groupId = `${fleet.space.name}.observer.${topic}`;
  const consumer = observerOf(fleet).consumer({ groupId });
  const values: Buffer[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`${topic}: ${values.length} records within ${limitMs} ms, not enough`));
      }, limitMs);
      const eachMessage = ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
        if (message.value !== null) values.push(message.value);
        if (isEnough(values)) {
          clearTimeout(late);
          resolve();
        }
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return values;
}
