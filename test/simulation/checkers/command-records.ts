/** The commands topic as the checkers read it, each record once, whoever asks. */
import { branchOf, readRecord } from './avro-reading.ts';
import type { CheckedWorld } from './checker.ts';

/** A command as it lies on the topic; `body` holds what was asked, longs as bigints. */
export interface SentCommand {
  readonly appCode: string;
  readonly roomId: string;
  readonly commandId: string;
  readonly actorUserId: string;
  readonly actorRole: string;
  readonly clientTimeMs: bigint;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One record: a command, a fold of heartbeats, or bytes that are neither. */
export interface CommandsRecord {
  readonly partition: number;
  readonly offset: bigint;
  readonly kind: 'command' | 'heartbeats' | 'unreadable';
  /** Set for commands only. */
  readonly command: SentCommand | null;
}

/** What was read of a partition; the log only grows during a run, so nothing below is read again. */
interface PartitionReading {
  readonly records: Map<bigint, CommandsRecord>;
  offsetNext: bigint;
}

const readings = new WeakMap<CheckedWorld, Map<number, PartitionReading>>();

/** The records of a partition by offset, the oldest first. Reads what is new since the last call. */
export function recordsOf(
  world: CheckedWorld,
  partition: number,
): ReadonlyMap<bigint, CommandsRecord> {
  const reading = readingOf(world, partition);
  const { records } = reading;
  for (const { offset, value } of world.commandRecords(partition, reading.offsetNext)) {
    if (records.has(offset)) continue;
    records.set(offset, { partition, offset, ...readCommand(value) });
    if (offset >= reading.offsetNext) reading.offsetNext = offset + 1n;
  }
  return records;
}

function readingOf(world: CheckedWorld, partition: number): PartitionReading {
  const partitions = readings.get(world) ?? new Map<number, PartitionReading>();
  readings.set(world, partitions);
  const reading = partitions.get(partition) ?? { records: new Map(), offsetNext: 0n };
  partitions.set(partition, reading);
  return reading;
}

/** What a value on the topic is. */
export function readCommand(value: Uint8Array | null): Pick<CommandsRecord, 'kind' | 'command'> {
  const unreadable = { kind: 'unreadable', command: null } as const;
  if (value === null) return unreadable;
  try {
    const branch = branchOf(readRecord<{ content: unknown }>('CommandTopicRecord', value).content);
    if (branch?.name === 'HeartbeatFold') return { kind: 'heartbeats', command: null };
    if (branch?.name !== 'Command') return unreadable;
    const { body, ...fields } = branch.value as Omit<SentCommand, 'type'>;
    const asked = branchOf(body);
    if (asked === null) return unreadable;
    return {
      kind: 'command',
      command: { ...fields, type: asked.name, body: asked.value as SentCommand['body'] },
    };
  } catch {
    // A record that cannot be read is a fact about the topic: the cell must set it aside.
    return unreadable;
  }
}

/** Key of the log row that the command would have. */
export function rowKeyOf({ appCode, roomId, commandId }: SentCommand): string {
  return `${appCode}\0${roomId}\0${commandId}`;
}
