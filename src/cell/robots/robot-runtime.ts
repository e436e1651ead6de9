/**
 * The robots of one room at work: a loop for each, with a pause drawn anew before each act (ROBOT-2).
 * It ends when it is cancelled, when its room has ended or left memory, or when nothing is left to do.
 * What it does not do is decide who may be in the room: the room's commands do.
 */
import { splitRoomKey, type RoomKey, type UserId } from '../../domain/ids.ts';
import { nextRobotAct, type RobotAct, type RobotPart } from '../../domain/robots/robot-act.ts';
import type { Robot, RobotRoom, RobotRules } from '../../domain/robots/robot-rules.ts';
import type { CommandBody } from '../../domain/room/commands.ts';
import type { RoomState } from '../../domain/room/state.ts';
import type { ProduceOutcome } from '../../ports/command-sink.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import { robotJoin, type RobotCommands } from './robot-commands.ts';
import { robotKeyOf, type RobotPlaces } from './robot-places.ts';

/** Pauses in a row in which a room may be out of sight before its robots give it up. */
const blindPausesMax = 3;

/** What a runtime was started with: another plan needs another runtime (ROBOT-4). */
export interface RobotPlan {
  readonly part: RobotPart;
  /** The country of its robots; '' in a robot room. */
  readonly countryCode: string;
  readonly configUpdatedAtMs: number;
  /** Of that country. */
  readonly quota: number;
  /** Robots that may stay; fewer do where no more are free. */
  readonly robotsMax: number;
  readonly rules: RobotRules;
}

/** Who works in a room. */
export interface RobotTeam {
  /** Robots of the plan, in their order. */
  readonly stay: readonly Robot[];
  /** Robots that are there and no part of the plan: they go. */
  readonly go: readonly Robot[];
}

/** What a runtime stands on. */
export interface RuntimeGround {
  readonly context: CellContext;
  readonly commands: RobotCommands;
  readonly roomKey: RoomKey;
  readonly partition: Partition;
  readonly places: RobotPlaces;
  /** The committed state; null: not in memory now. */
  state(): RoomState | null;
}

/** See the file header. */
export class RobotRuntime {
  readonly plan: RobotPlan;
  readonly partition: Partition;
  private readonly ground: RuntimeGround;
  private readonly team: RobotTeam;
  private readonly teamIds: readonly UserId[];
  private cancelled = false;
  /** Ends the pauses that are under way. */
  private readonly wake = new Set<() => void>();

  constructor(ground: RuntimeGround, plan: RobotPlan, team: RobotTeam) {
    this.ground = ground;
    this.partition = ground.partition;
    this.plan = plan;
    this.team = team;
    this.teamIds = team.stay.map(({ userId }) => userId);
  }

  /** Resolves when every loop has ended. Call it once. */
  async run(): Promise<void> {
    const { stay, go } = this.team;
    await Promise.all([
      ...stay.map((robot) => this.loop(robot, 'stay')),
      ...go.map((robot) => this.loop(robot, 'go')),
    ]);
  }

  /** No act begins from here on; `run` resolves when those under way have ended. Idempotent. */
  cancel(): void {
    this.cancelled = true;
    for (const wake of [...this.wake]) wake();
  }

  /** Fewer robots stay than the plan lets. */
  get isShort(): boolean {
    return this.teamIds.length < this.plan.robotsMax;
  }

  /** Whether the robot is part of the plan. */
  claims(userId: UserId): boolean {
    return !this.cancelled && this.teamIds.includes(userId);
  }

  private async loop(robot: Robot, wish: 'stay' | 'go'): Promise<void> {
    const { context, places, partition, roomKey } = this.ground;
    const key = robotKeyOf(splitRoomKey(roomKey).appCode, robot.userId);
    let leavesAtMonoMs: number | null = null;
    let blindPauses = 0;
    /** Where its last command stands in the topic. */
    let sentAt: bigint | null = null;
    for (;;) {
      await this.pause();
      if (this.cancelled || !partition.active) return;
      const state = this.ground.state();
      blindPauses = state === null ? blindPauses + 1 : 0;
      if (blindPauses >= blindPausesMax) return;
      if (state === null) continue;
      // One at a time: robots never make a queue longer that does not get on.
      if (sentAt !== null && sentAt > partition.offsets.appliedOffset) continue;
      const isPresent = state.users.has(robot.userId);
      if (isPresent) places.seen(key);
      if (!isPresent) leavesAtMonoMs = null;
      else leavesAtMonoMs ??= context.clock.monoMs() + this.drawStayMs();
      const hasStayed = leavesAtMonoMs !== null && context.clock.monoMs() >= leavesAtMonoMs;
      const act = wish === 'go' ? goAct(state, robot) : this.actOf(state, robot, hasStayed);
      if (act.type === 'end') return;
      const outcome = await this.perform(act, robot);
      if (outcome?.kind === 'stored') sentAt = outcome.offset;
    }
  }

  private actOf(state: RoomState, robot: Robot, hasStayed: boolean): RobotAct {
    const { context, places, roomKey } = this.ground;
    const { part, rules } = this.plan;
    const { appCode } = splitRoomKey(roomKey);
    const joining = this.teamIds.filter(
      (userId) => !state.users.has(userId) && places.isJoining(robotKeyOf(appCode, userId)),
    );
    // Its own join is on the way, or the robot has turned up elsewhere meanwhile.
    if (joining.includes(robot.userId)) return { type: 'none' };
    if (places.roomOf(robotKeyOf(appCode, robot.userId)) !== roomKey) return { type: 'none' };
    return nextRobotAct({
      part,
      rules,
      state,
      robot: robot.userId,
      team: this.teamIds,
      joining: joining.length,
      hasStayed: part.kind === 'guest' && hasStayed,
      usersPerRoomMax: context.options.limits.usersPerRoomMax,
      chance: context.random.fraction('robot gift'),
    });
  }

  /** Null: the act needs no command. */
  private async perform(act: RobotAct, robot: Robot): Promise<ProduceOutcome | null> {
    const { commands, places, partition, roomKey } = this.ground;
    const { kind } = this.plan.part;
    const body = bodyOf(act, robot);
    if (body === null) return null;
    const { appCode } = splitRoomKey(roomKey);
    const told = act.type === 'join' ? places.joining(robotKeyOf(appCode, robot.userId)) : null;
    const outcome = await commands.send({ roomKey, partition, kind, robot, body });
    told?.(outcome);
    return outcome;
  }

  private drawStayMs(): number {
    const { stayMinMs, stayMaxMs } = this.plan.rules;
    return this.draw(stayMinMs, stayMaxMs, 'robot stay');
  }

  /** Ends early when the runtime is cancelled. */
  private pause(): Promise<void> {
    if (this.cancelled) return Promise.resolve();
    const { pauseMinMs, pauseMaxMs } = this.plan.rules;
    const pauseMs = this.draw(pauseMinMs, pauseMaxMs, 'robot pause');
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.wake.delete(wake);
        resolve();
      };
      const cancel = this.ground.context.timers.after(pauseMs, wake);
      this.wake.add(wake);
    });
  }

  private draw(leastMs: number, mostMs: number, why: string): number {
    return leastMs + this.ground.context.random.fraction(why) * (mostMs - leastMs);
  }
}

function goAct(state: RoomState, { userId }: Robot): RobotAct {
  return { type: state.status === 'active' && state.users.has(userId) ? 'leave' : 'end' };
}

function bodyOf(act: RobotAct, robot: Robot): CommandBody | null {
  switch (act.type) {
    case 'join':
      return robotJoin(robot);
    case 'leave':
      return { type: 'LeaveRoom' };
    case 'open':
      return openingBody(act.room);
    case 'gift': {
      const { giftId, targetUserId } = act;
      return { type: 'SendGift', giftId, giftCount: 1, targetUserIds: [targetUserId], comboId: '' };
    }
    case 'none':
    case 'end':
      return null;
  }
}

function openingBody({ title, seatCount, visibleRegionId }: RobotRoom): CommandBody {
  const looks = { title, coverUrl: '', backgroundUrl: '', tags: [], ext: '' };
  return {
    type: 'CreateRoom',
    ...looks,
    seatCount,
    mode: 'free',
    visibleRegionId,
    passwordHash: '',
  };
}
