/** Records put straight onto the commands topic of a fleet, past every gateway. */
import { CompressionTypes, Partitioners, type Message, type Producer } from 'kafkajs';
import { roomKeyOf, type AppCode, type RoomId } from '../../../src/domain/ids.ts';
import type { CommandBody } from '../../../src/domain/room/commands.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { partitionKeyBytes, partitionOf } from '../../../src/protocol/partition.ts';
import type { CommandRecord } from '../../../src/protocol/records.ts';
import { fleetApp, type Fleet } from './fleet.ts';
import { commandsTopicOf, observerOf } from './observe.ts';

/** Partitions of a fleet's commands topic. */
export const fleetPartitionCount = 16;
const codec = createCodec();

/** Key and partition of a room as a gateway would choose them. */
export function placeOf(room: string): { readonly key: Buffer; readonly partition: number } {
  const roomKey = roomKeyOf(fleetApp as AppCode, room as RoomId);
  return { key: partitionKeyBytes(roomKey), partition: partitionOf(roomKey, fleetPartitionCount) };
}

/** A command as a gateway would encode it. */
export function commandValue(
  room: string,
  commandId: string,
  actor: string,
  body: CommandBody,
): Buffer {
  const record = {
    kind: 'command',
    appCode: fleetApp,
    roomId: room,
    commandId,
    actorUserId: actor,
    actorRole: 'user',
    clientTimeMs: 0,
    snapshotMode: 'none',
    body,
  } as unknown as CommandRecord;
  return Buffer.from(codec.encodeCommand(record));
}

/** See the file header. */
export class RawRecords {
  private readonly producer: Producer;
  private readonly topic: string;

  private constructor(producer: Producer, topic: string) {
    this.producer = producer;
    this.topic = topic;
  }

  static async open(fleet: Fleet): Promise<RawRecords> {
    const producer = observerOf(fleet).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    return new RawRecords(producer, commandsTopicOf(fleet));
  }

  /** Puts one record on a partition; answers its offset. */
  async put(partition: number, message: Omit<Message, 'partition'>): Promise<string> {
    const [sent] = await this.producer.send({
      topic: this.topic,
      messages: [{ ...message, partition }],
      compression: CompressionTypes.None,
    });
    if (sent?.baseOffset === undefined) throw new Error('the broker named no offset');
    return sent.baseOffset;
  }

  close(): Promise<void> {
    return this.producer.disconnect();
  }
}
