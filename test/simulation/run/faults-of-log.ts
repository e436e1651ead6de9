/** Faults of the log: its answers, its groups, the way to it, and what lies in it. */
import { BrokerUnreachable } from '../../../src/drivers/memory/broker-link.ts';
import { encodeUtf8, junkOf } from './junk.ts';
import type { FaultTable, MakeFault } from './fault-effect.ts';
import { chosen, runningPod } from './fault-effect.ts';
import type { World } from '../world/world.ts';

/** Longer outages belong to a drill of their own: everybody's sessions would be over. */
const outageMaxMs = 5_000;
/** Of a batch that stays in hand, and on top of the session that it outlasts. */
const lateByMs = 1_000;
const shortStayMs = 500;

function topicOf(world: World, choice: number): string {
  const { commands, events } = world.topics;
  return chosen([commands, commands, events.im, events.activity], choice) ?? commands;
}

function everybody(reach: 'silent' | 'refused'): MakeFault {
  return (world, { lengthMs }) => {
    const { broker } = world.servers;
    broker.setReach(null, reach);
    const end = (): void => broker.setReach(null, 'open');
    if (lengthMs > outageMaxMs) world.kernel.timersOf('faults').after(outageMaxMs, end);
    return end;
  };
}

/** A member that joins the cells, and says nothing any more until its session is over. */
function letStrangerIn(world: World, stayMs: number): void {
  const group = world.servers.broker.group(world.cellGroupId, world.commandsTopic);
  const profile = {
    instanceName: 'stranger',
    sessionTimeoutMs: stayMs,
    rebalanceTimeoutMs: stayMs,
    pinnedPartition: null,
  };
  void group.join('', profile);
}

/** See the file header. */
export const logFaults: FaultTable<
  | 'ackLost'
  | 'notStored'
  | 'storedTwice'
  | 'replyNotStored'
  | 'replyAckWithoutStore'
  | 'redelivery'
  | 'lateBatch'
  | 'staleCommit'
  | 'nothingAssigned'
  | 'junkRecord'
  | 'groupRebalance'
  | 'brokerSilent'
  | 'brokerRefused'
  | 'clientCut'
> = {
  ackLost(world, { choice }) {
    world.servers.broker.faults.add({ kind: 'ackLost', topic: topicOf(world, choice) });
    return true;
  },
  notStored(world, { choice, target }) {
    const topic = topicOf(world, choice);
    world.servers.broker.faults.add({ kind: 'notStored', topic, isCertain: target % 2 === 0 });
    return true;
  },
  storedTwice(world, { choice }) {
    world.servers.broker.faults.add({ kind: 'storedTwice', topic: topicOf(world, choice) });
    return true;
  },
  replyNotStored(world, { choice }) {
    const topic = world.topics.replies;
    world.servers.broker.faults.add({ kind: 'notStored', topic, isCertain: choice % 2 === 0 });
    return true;
  },
  replyAckWithoutStore(world) {
    const topic = world.topics.replies;
    world.servers.broker.faults.add({ kind: 'ackWithoutStore', topic });
    return true;
  },
  redelivery(world, fault) {
    const pod = runningPod(world, 'cell', fault);
    if (pod === undefined) return false;
    const partition = fault.choice % world.partitionCount;
    const { endOffset } = world.commandsPartition(partition);
    const fromOffset = endOffset === 0n ? 0n : BigInt(fault.target) % endOffset;
    const { client } = pod;
    world.servers.broker.faults.add({ kind: 'redelivery', client, partition, fromOffset });
    return true;
  },
  lateBatch(world, fault) {
    const pod = runningPod(world, 'cell', fault);
    if (pod === undefined) return false;
    const { client } = pod;
    const { broker } = world.servers;
    const timers = world.kernel.timersOf('faults');
    const partition = fault.choice % world.partitionCount;
    broker.faults.add({ kind: 'lateBatch', client, partition, after: 'loss' });
    const reach = (how: 'refused' | 'open'): void => {
      if (pod.client === client && pod.state === 'up') broker.setReach(client, how);
    };
    // The batch comes when the loss is told, so the member is cut off until its session is over.
    const cutAtMs = Math.min(fault.lengthMs, lateByMs);
    timers.after(cutAtMs, () => reach('refused'));
    timers.after(cutAtMs + world.options.sessionTimeoutMs + lateByMs, () => reach('open'));
    // In hand for ever if no loss came: no real client does that.
    return {
      whenOver() {
        if (pod.client === client && pod.kill(true)) pod.start();
      },
    };
  },
  staleCommit(world) {
    const groupId = world.cellGroupId;
    world.servers.broker.faults.add({ kind: 'staleCommitAccepted', groupId });
    return true;
  },
  nothingAssigned(world, fault) {
    const pod = chosen(world.podsOf('cell'), fault.target);
    if (pod === undefined) return false;
    const groupId = world.cellGroupId;
    const instanceName = pod.name;
    world.servers.broker.faults.add({ kind: 'nothingAssigned', groupId, instanceName });
    // A group that leaves members out for ever is none that exists: the next rebalance ends it.
    return { whenOver: () => letStrangerIn(world, shortStayMs) };
  },
  junkRecord(world, { choice, target }) {
    const partition = target % world.partitionCount;
    const [lastRecord] = world.commandRecords(partition).slice(-1);
    const value = junkOf(choice, lastRecord?.value ?? null);
    const key = encodeUtf8(choice % 3 === 0 ? 'junk' : `app1\0r${choice % 8}`);
    const message = { partition, key, value, headers: {} };
    const { broker } = world.servers;
    if (!broker.hasTopic(world.commandsTopic)) return false;
    try {
      broker.append(world.commandsTopic, [message], 'all');
      return true;
    } catch (thrown) {
      // Another fault has met it, as it would have met anybody's record.
      if (thrown instanceof BrokerUnreachable) return false;
      throw thrown;
    }
  },
  groupRebalance(world, { lengthMs }) {
    letStrangerIn(world, Math.min(lengthMs, 3_000));
    return true;
  },
  brokerSilent: everybody('silent'),
  brokerRefused: everybody('refused'),
  clientCut(world, fault) {
    const pod = runningPod(world, '', fault);
    if (pod?.state !== 'up') return false;
    const { broker } = world.servers;
    const { client } = pod;
    broker.setReach(client, fault.choice % 2 === 0 ? 'refused' : 'silent');
    return () => {
      if (pod.client === client && pod.state === 'up') broker.setReach(client, 'open');
    };
  },
};
