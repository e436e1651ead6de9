/**
 * Commands in the name of robots. They go through the topic like everybody's, so that they are ordered
 * and logged like everybody's (ROBOT-5), and name the epoch under which they were made (ROBOT-7).
 * Nobody waits for an answer: a robot sees in the room what became of what it did.
 */
import { splitRoomKey, type RoomKey } from '../../domain/ids.ts';
import type { Robot } from '../../domain/robots/robot-rules.ts';
import type { CommandBody } from '../../domain/room/commands.ts';
import type { CommandSink, ProduceOutcome } from '../../ports/command-sink.ts';
import { crc32cHex } from '../../protocol/crc32c.ts';
import { partitionKeyBytes } from '../../protocol/partition.ts';
import { robotCommandId, type RobotCommandKind } from '../../protocol/robot-command-id.ts';
import { headerNames } from '../../protocol/topics.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';

/** A robot's command that has not begun by then is of no use any more. */
const usefulForMs = 10_000;

/** One command to send. */
export interface RobotCommand {
  readonly roomKey: RoomKey;
  readonly partition: Partition;
  readonly kind: RobotCommandKind;
  readonly robot: Robot;
  readonly body: CommandBody;
}

/** See the file header. One per membership of a cell. */
export class RobotCommands {
  private readonly context: CellContext;
  private readonly sink: Pick<CommandSink, 'produce'>;
  /** Never the same twice, and an epoch belongs to one membership: so ids are used once. */
  private sent = 0;

  constructor(context: CellContext, sink: Pick<CommandSink, 'produce'>) {
    this.context = context;
    this.sink = sink;
  }

  /** Never throws. `notSent` without a try when the partition is no longer this node's. */
  async send({ roomKey, partition, kind, robot, body }: RobotCommand): Promise<ProduceOutcome> {
    if (!partition.active) return { kind: 'notSent', cause: 'the partition was given up' };
    const { appCode, roomId } = splitRoomKey(roomKey);
    this.sent += 1;
    const value = this.context.codec.encodeCommand({
      kind: 'command',
      appCode,
      roomId,
      commandId: robotCommandId({ epoch: partition.epoch, kind }, this.sent),
      actorUserId: robot.userId,
      actorRole: 'service',
      clientTimeMs: this.context.clock.wallMs(),
      snapshotMode: 'none',
      body,
    });
    const headers = {
      [headerNames.crc32c]: crc32cHex(value),
      [headerNames.ttlMs]: String(usefulForMs),
    };
    const key = partitionKeyBytes(roomKey);
    const outcome = await this.sink.produce({ partition: partition.id, key, value, headers });
    const labels = { type: body.type, end: outcome.kind };
    this.context.metrics.count('cell_robot_commands_total', labels);
    return outcome;
  }
}

/** The body of a robot's join. Robots need no password (PWD-2). */
export function robotJoin({ nickname, avatarUrl, countryCode }: Robot): CommandBody {
  return {
    type: 'JoinRoom',
    profile: { nickname, avatarUrl, countryCode, ext: '' },
    isRobot: true,
    password: { passwordVersion: 0n, verdict: 'none_given' },
    isPlatformBanned: false,
  };
}
