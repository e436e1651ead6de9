/**
 * A memory broker as a space for the log's contract suites. Its time is virtual and runs several
 * times faster than the machine's, so that a session that runs out costs no real second.
 */
import { createMemoryCommandSink } from '../../src/drivers/memory/memory-command-sink.ts';
import { createMemoryCommandSource } from '../../src/drivers/memory/memory-command-source.ts';
import { createMemoryDisplaySink } from '../../src/drivers/memory/memory-display-sink.ts';
import { createMemoryDisplaySource } from '../../src/drivers/memory/memory-display-source.ts';
import { createMemoryEventSink } from '../../src/drivers/memory/memory-event-sink.ts';
import { createMemoryEventSource } from '../../src/drivers/memory/memory-event-source.ts';
import { MemoryBroker } from '../../src/drivers/memory/memory-broker.ts';
import { MemoryGroupMember } from '../../src/drivers/memory/memory-group-member.ts';
import { createMemoryReplySink } from '../../src/drivers/memory/memory-reply-sink.ts';
import { createMemoryReplySource } from '../../src/drivers/memory/memory-reply-source.ts';
import { ensureMemoryTopics } from '../../src/drivers/memory/memory-topics.ts';
import { VirtualTime } from '../../src/drivers/memory/virtual-time.ts';
import { commandMembership } from '../../src/drivers/log-client/membership-settings.ts';
import { createDeferred } from '../../src/kernel/deferred.ts';
import type { Random } from '../../src/ports/random.ts';
import { topicNames } from '../../src/protocol/topics.ts';
import { driverDeps } from './driver-deps.ts';
import type { DriverDeps } from './driver-deps.ts';
import { onOneBroker } from './log-space.ts';
import type { FaultyLogSpace, Where } from './log-space.ts';

const turnMs = 5;
const setUpMs = 1_000;
const startWallMs = 1_700_000_000_000;
const far = 'far';

/** A space, and the broker under it for what only a memory broker does. */
export interface MemoryLogSpace extends FaultyLogSpace {
  readonly broker: MemoryBroker;
  readonly time: VirtualTime;
}

/**
 * See the file header. `seed` decides every draw. With `own` the caller moves the time, except while
 * the space is made.
 */
export async function openMemoryLogSpace(
  seed = 1,
  own?: { readonly time: VirtualTime; readonly broker: MemoryBroker },
): Promise<MemoryLogSpace> {
  const time = own?.time ?? new VirtualTime({ startWallMs });
  const random = seededRandom(seed);
  const broker = own?.broker ?? new MemoryBroker({ clock: time, timers: time, random });
  const running = own === undefined ? keepRunning(time) : { stop: () => undefined };
  const deps = (): DriverDeps => ({ ...driverDeps(), clock: time, timers: time });
  const prefix = 'twin';
  const topics = topicNames(prefix);
  const network = (where: Where | undefined, name: string) => ({
    broker,
    client: where === far ? far : name,
  });
  const making = ensureMemoryTopics(
    { broker, client: 'set-up' },
    { ...onOneBroker, prefix },
    deps(),
  );
  if (own !== undefined) await time.advance(setUpMs);
  await making;
  const partition = (topic: string, id: number) => broker.topic(topic).partition(id);
  const cells = `${prefix}.cells`;
  return {
    broker,
    time,
    topics,
    prefix,
    deps,
    pass: (ms) => time.sleep(ms),
    commandSink: (more, ports, where) =>
      createMemoryCommandSink(
        { topic: topics.commands, ...network(where, 'gateway'), ...more },
        ports,
      ),
    commandSource: (more, ports, where) =>
      createMemoryCommandSource(
        {
          topic: topics.commands,
          groupId: cells,
          partitionCount: onOneBroker.commandPartitions,
          sessionTimeoutMs: 3_000,
          ...network(where, more.instanceName),
          ...more,
        },
        ports,
      ),
    eventSink: (more, ports, where) =>
      createMemoryEventSink(
        { topic: topics.events.im, ...network(where, 'relay'), ...more },
        ports,
      ),
    eventSource: (more, ports, where) =>
      createMemoryEventSource(
        { topic: topics.events.im, ...network(where, more.instanceName), ...more },
        ports,
      ),
    replySink: (more, ports, where) =>
      createMemoryReplySink({ topic: topics.replies, ...network(where, 'cell'), ...more }, ports),
    replySource: (more, ports, where) =>
      createMemoryReplySource(
        { topic: topics.replies, ...network(where, more.groupId), ...more },
        ports,
      ),
    displaySink: (more, ports, where) =>
      createMemoryDisplaySink({ topic: topics.display, ...network(where, 'cell'), ...more }, ports),
    displaySource: (more, ports, where) =>
      createMemoryDisplaySource(
        {
          topic: topics.display,
          groupId: `${prefix}.displays`,
          sessionTimeoutMs: 3_000,
          ...network(where, more.instanceName),
          ...more,
        },
        ports,
      ),
    ensureTopics: (plan, signal) =>
      ensureMemoryTopics({ broker, client: 'ensure' }, plan, deps(), signal),
    createOddTopic: async (name, partitionCount) =>
      void broker.createTopic(name, partitionCount, 'CreateTime'),
    deleteTopics: async (names) => names.forEach((name) => broker.deleteTopic(name)),
    range: async (topic, id) => partition(topic, id).range(),
    moveStart: async (topic, id, offset) => partition(topic, id).moveStart(offset),
    async leaveGap(topic, id) {
      const message = { partition: id, key: Buffer.from('k'), value: Buffer.from('gap') };
      broker.append(topic, [{ ...message, headers: {} }], 'all');
      partition(topic, id).skipOffsets(1);
    },
    storedOffset: async (groupId, topic, id) => broker.group(groupId, topic).offsetOf(id),
    refuse: async () => broker.setReach(far, 'refused'),
    freeze: () => broker.setReach(far, 'frozen'),
    heal: async () => broker.setReach(far, 'open'),
    loseNextAck: async (topic) => broker.faults.add({ kind: 'ackLost', topic }),
    loseNextProduce: async (topic) =>
      broker.faults.add({ kind: 'notStored', topic, isCertain: false }),
    repeatNextProduce: async (topic) => broker.faults.add({ kind: 'storedTwice', topic }),
    recreateTopic: async (name) => broker.recreateTopic(name),
    rewind: async (groupId, topic, id, offset) => broker.group(groupId, topic).rewind(id, offset),
    async commitAsStranger(groupId, topic, offset) {
      const joined = createDeferred<readonly number[]>();
      const member = new MemoryGroupMember(
        {
          ...commandMembership({ topic, groupId, instanceName: 'stranger', partitionCount: 4 }),
          broker,
          client: 'stranger',
          instanceName: 'stranger',
          pinnedPartition: null,
        },
        {
          onJoined: (partitions) => joined.resolve(partitions),
          onConfirmed: () => undefined,
          onRebalancing: () => undefined,
          onFetchAnswered: () => undefined,
          onBatch: () => Promise.resolve(),
          onLeft: () => undefined,
          onCrashed: () => undefined,
        },
        deps(),
      );
      await member.start();
      const own = await joined.promise;
      const foreign = [0, 1, 2, 3].find((id) => !own.includes(id)) ?? -1;
      await member.commit([{ partition: foreign, offsetNext: offset }]);
      await member.stop();
      return foreign;
    },
    close: () => {
      running.stop();
      return Promise.resolve();
    },
  };
}

/** Lets virtual time run until stopped; every turn gives the test its own. */
function keepRunning(time: VirtualTime): { stop(): void } {
  let isOn = true;
  void (async () => {
    while (isOn) {
      await time.advance(turnMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  return { stop: () => (isOn = false) };
}

/** Mulberry32: small, and the same on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    hex: (byteCount) =>
      Array.from({ length: byteCount }, () =>
        Math.floor(fraction() * 256)
          .toString(16)
          .padStart(2, '0'),
      ).join(''),
  };
}
