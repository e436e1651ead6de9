/**
 * Decides one room's items in order on its draft. Steps 2 (idempotency), 3 (deadline), 5 (plan) and
 * 6 (decide) of a command; nothing here waits or reaches outside.
 */
import { nextRoomVersion, type CommandId, type RoomVersion } from '../../domain/ids.ts';
import { imLaneOf, isSampled, outboxDestinationsOf } from '../../domain/events/im-lanes.ts';
import type { RoomCommand, SystemCommandBody } from '../../domain/room/commands.ts';
import type { DecideFacts, Decision } from '../../domain/room/decision.ts';
import { decide } from '../../domain/room/decide.ts';
import type { RoomEvent } from '../../domain/room/events.ts';
import { nextEventPosition } from '../../domain/room/event-position.ts';
import { evolveCommand } from '../../domain/room/evolve.ts';
import { checkRoomInvariants } from '../../domain/room/invariants.ts';
import { plan } from '../../domain/room/plan.ts';
import { rejected } from '../../domain/room/outcomes.ts';
import type { RoomState } from '../../domain/room/state.ts';
import { rejectReasons } from '../../domain/reasons.ts';
import { assert } from '../../kernel/assert.ts';
import type { StoredResult } from '../../ports/room-reader.ts';
import { eventIdOf, micSessionIdOf, systemCommandId } from '../../protocol/derived-ids.ts';
import { chainHash } from '../../protocol/event-chain.ts';
import type { ResultRecord } from '../../protocol/records.ts';
import { robotCommandOrigin } from '../../protocol/robot-command-id.ts';
import { commandLevel, eventLevel, robotLevel, schemaLevel } from '../../protocol/schema-levels.ts';
import type { CellContext } from '../cell-context.ts';
import { isExpired, isGift, isOfFormerRobot } from '../charges/payment.ts';
import {
  actorOf,
  looseOf,
  poisonDetail,
  timerItem,
  type CommandItem,
  type RoomItem,
  type SystemItem,
} from '../work.ts';
import type { DraftEvent, ItemEnd, LoggedEnd, RoomDraft, RoomWork } from './draft.ts';

/** Items that this transaction must not decide but set aside, with the text why. */
export type SetAside = ReadonlyMap<RoomItem, string>;

/** Decides `work` on a fresh draft. A fault while deciding one command sets only that one aside. */
export function decideRoom(context: CellContext, work: RoomWork, setAside: SetAside): RoomDraft {
  const drafting = new Drafting(context, work);
  return drafting.run(setAside);
}

class Drafting {
  private readonly context: CellContext;
  private readonly work: RoomWork;
  private state: RoomState;
  private chain: Uint8Array;
  /** Results of this batch: a repeat may stand right behind its first try. */
  private readonly fresh = new Map<string, LoggedEnd>();

  constructor(context: CellContext, work: RoomWork) {
    this.context = context;
    this.work = work;
    this.state = work.room.state;
    this.chain = work.room.chainHash;
  }

  run(setAside: SetAside): RoomDraft {
    const ends = this.work.items.flatMap((item) => this.ends(item, setAside));
    return { room: this.work.room, state: this.state, chainHash: this.chain, ends };
  }

  private ends(item: RoomItem, setAside: SetAside): readonly ItemEnd[] {
    const detail = setAside.get(item);
    if (detail !== undefined) return [this.aside(item, detail, 'DATA_REFUSED')];
    if (item.kind === 'command' && item.isPoison) return [this.aside(item, poisonDetail, 'POISON')];
    try {
      return item.kind === 'system' ? [this.decideSystem(item)] : this.decideCommand(item);
    } catch (error) {
      // A fault of ours in deciding this one command (F20): the room's state is as before it.
      const text = error instanceof Error ? error.message : String(error);
      this.context.log.error({ roomKey: item.roomKey, error }, 'a command cannot be decided');
      this.context.metrics.count('cell_poison_total');
      return [this.aside(item, text, 'INTERNAL')];
    }
  }

  private decideCommand(item: CommandItem): readonly ItemEnd[] {
    const undecided = this.repeat(item) ?? this.withoutDeciding(item);
    if (undecided !== null) return [undecided];
    const nowMs = this.nowMs();
    const facts = this.facts(item.command.commandId, nowMs, item);
    const decision = decide(item.command, facts, this.state);
    if (decision.kind === 'applied' && this.isAhead(decision.events)) return [this.notYet(item)];
    if (decision.kind === 'retry') {
      assert(!isGift(item) || !item.payment.asked, 'a gift that may be paid for leaves no id free');
      const loose = looseOf(item, decision.reason, decision.facts, decision.retryAfterMs);
      return [{ kind: 'refused', item, loose }];
    }
    // Reasons with memory `none` (an unknown room) write no row: the id stays free.
    if (decision.kind === 'rejected' && rejectReasons[decision.reason].memory === 'none') {
      return [{ kind: 'refused', item, loose: looseOf(item, decision.reason, decision.facts) }];
    }
    const logged = this.log(item, item.command.commandId, decision, nowMs);
    const followUp = decision.kind === 'rejected' ? decision.followUp : null;
    const ends = followUp === null ? [logged] : [logged, this.decideFollowUp(followUp, item)];
    // Only a first try that stands with all its consequences is what a repeat may be answered from.
    this.fresh.set(item.command.commandId, logged);
    return ends;
  }

  /** Ends that need no decision: a broken room, an expired command, a gift without its charge. */
  private withoutDeciding(item: CommandItem): ItemEnd | null {
    if (this.work.room.phase === 'broken') return this.giveBack(item, 'ROOM_CORRUPT');
    if (commandLevel(item.command.body.type) > this.enabledLevel()) return this.notYet(item);
    const mayExpire = !isGift(item) || !item.payment.asked;
    if (isOfFormerRobot(item, this.work.room.partition)) {
      // A former owner may have paid for it: then it ends in the log, and its coins come back.
      if (!mayExpire) return this.giveBack(item, 'FORMER_ROBOT');
      this.context.metrics.count('cell_robot_leftovers_total');
      return { kind: 'refused', item, loose: looseOf(item, 'EXPIRED', {}) };
    }
    if (mayExpire && isExpired(item, this.context.clock.wallMs())) {
      return { kind: 'refused', item, loose: looseOf(item, 'EXPIRED', {}) };
    }
    return this.uncharged(item);
  }

  /**
   * What the room remembers about a rejection, decided right behind it and stored with it.
   *
   * Race (tests of "a wrong password"): the rejection and its count must not come apart.
   *   1. A join with a wrong password is rejected; the count makes the room's next version.
   *   2. The process is killed, the batch is split, or the answer of COMMIT is lost.
   *   3. Whoever goes on finds both or neither: they are rows of one transaction, and in a split
   *      the count has no item of its own that could be parted from its join. A repeat of the join
   *      answers the stored rejection and decides nothing, so it counts nothing.
   */
  private decideFollowUp(body: SystemCommandBody, { roomKey, clock }: CommandItem): ItemEnd {
    return this.decideSystem(timerItem(roomKey, body, { ...clock }));
  }

  private decideSystem(item: SystemItem): ItemEnd {
    if (commandLevel(item.body.type) > this.enabledLevel()) return { kind: 'nothing', item };
    const commandId = systemCommandId(item.name, nextRoomVersion(this.state.version));
    const { appCode, roomId } = this.state;
    const actor = { actorUserId: item.actorUserId, actorRole: 'system' as const };
    const command: RoomCommand = { appCode, roomId, commandId, ...actor, body: item.body };
    const nowMs = this.nowMs();
    const decision = decide(command, this.facts(commandId, nowMs, item), this.state);
    if (decision.kind !== 'applied' || this.isAhead(decision.events)) {
      return { kind: 'nothing', item };
    }
    return this.log(item, commandId, decision, nowMs);
  }

  /**
   * A gift that was not to be charged when it was taken, and is now: the wall clock went back over
   * its expiry meanwhile. It is not decided without its charge; the sender's next try is.
   */
  private uncharged(item: CommandItem): ItemEnd | null {
    if (!isGift(item) || item.payment.charge !== null) return null;
    if (plan(item.command, this.state).kind !== 'debit') return null;
    if (item.payment.asked) return this.giveBack(item, 'NOT_ASKED');
    return { kind: 'refused', item, loose: looseOf(item, 'ROOM_BUSY', {}) };
  }

  /** A gift whose coins may be gone and which cannot be applied: logged, so that its key is voided. */
  private giveBack(item: CommandItem, cause: string): LoggedEnd {
    const { commandId } = item.command;
    const logged = this.log(item, commandId, rejected('GIFT_NOT_CHARGED', { cause }), this.nowMs());
    this.fresh.set(commandId, logged);
    return logged;
  }

  private enabledLevel(): number {
    return this.context.enabledLevel?.() ?? schemaLevel;
  }

  /** A gift is given on every level; a rocket flies only where every node could replay its events. */
  private enabledRules(rules: DecideFacts['rocketRules']): DecideFacts['rocketRules'] {
    return commandLevel('LaunchRocket') <= this.enabledLevel() ? rules : null;
  }

  /** Whether a node of a former release, which may take the room over, could not replay the events. */
  private isAhead(events: readonly RoomEvent[]): boolean {
    const level = this.enabledLevel();
    return events.some((event) => eventLevel(event) > level);
  }

  /** A gift whose coins may be gone is given back; all else leaves its id free. */
  private notYet(item: CommandItem): ItemEnd {
    if (isGift(item) && item.payment.asked) return this.giveBack(item, 'NOT_YET_ENABLED');
    const level = String(this.enabledLevel());
    return { kind: 'refused', item, loose: looseOf(item, 'NOT_YET_ENABLED', { level }) };
  }

  /** Step 2. The same id with other content is refused and touches nothing (PIPE-12). */
  private repeat(item: CommandItem): ItemEnd | null {
    const { commandId } = item.command;
    const fresh = this.fresh.get(commandId);
    if (fresh !== undefined && fresh.item.kind === 'command') {
      const first = fresh.item;
      const same =
        first.command.body.type === item.command.body.type &&
        first.command.actorUserId === item.command.actorUserId &&
        Buffer.compare(first.payloadHash.hash, item.payloadHash.hash) === 0;
      if (!same) return this.reused(item);
      const { outcome } = fresh.result;
      return { kind: 'replayed', item, outcome, resultBytes: fresh.resultBytes };
    }
    const stored = item.stored ?? this.work.room.recentResult(commandId);
    if (stored === null) return null;
    if (!sameCommand(stored, item)) return this.reused(item);
    return { kind: 'replayed', item, outcome: stored.outcome, resultBytes: stored.result };
  }

  private reused(item: CommandItem): ItemEnd {
    return { kind: 'refused', item, loose: looseOf(item, 'COMMAND_ID_REUSED', {}) };
  }

  /** Read once per command: what decide was told is what the log and the events say. */
  private nowMs(): number {
    return Math.max(this.context.clock.wallMs(), this.state.lastEventAtMs);
  }

  private facts(commandId: CommandId, nowMs: number, item: RoomItem): DecideFacts {
    const { options } = this.context;
    const { appCode, roomId } = this.state;
    return {
      nowMs,
      micSessionId: micSessionIdOf(appCode, roomId, commandId),
      times: options.times,
      limits: options.limits,
      heartbeats: this.work.room.heartbeatFacts(this.context),
      charge: isGift(item) ? item.payment.charge : null,
      rocketRules: isGift(item) ? this.enabledRules(item.payment.rocketRules) : null,
      robotGiftsCount: options.robotGiftsCount || this.enabledLevel() < robotLevel,
    };
  }

  private log(
    item: RoomItem,
    commandId: CommandId,
    decision: Exclude<Decision, { kind: 'retry' }>,
    decidedAtMs: number,
  ): LoggedEnd {
    const { codec } = this.context;
    let step: LoggedEnd['step'] = null;
    let next = this.state;
    if (decision.kind === 'applied') {
      const position = nextEventPosition(this.state, decidedAtMs);
      const { version } = position;
      next = evolveCommand(this.state, decision.events, position);
      const broken = checkRoomInvariants(next);
      assert(broken === null, `the room would break an invariant: ${broken}`);
      const eventBytes = codec.encodeLoggedEvents(decision.events);
      const onlineCount = next.users.size;
      const isOfRobotRoom = robotCommandOrigin(commandId)?.kind === 'host';
      const at = { version, commandId, decidedAtMs, onlineCount, isOfRobotRoom };
      const events = this.envelopes(item, decision.events, at);
      step = {
        version,
        onlineCount,
        rocket: next.rocket,
        events,
        eventBytes,
        chainHash: chainHash(this.chain, eventBytes),
        forcesSnapshot: decision.forceSnapshot,
      };
    }
    const result: ResultRecord = {
      outcome: outcomeOf(decision.kind),
      roomVersion: next.version,
      reason: decision.kind === 'rejected' ? decision.reason : '',
      facts: decision.kind === 'rejected' ? decision.facts : {},
      fields: decision.kind === 'rejected' ? {} : decision.result,
    };
    const resultBytes = codec.encodeResult(result);
    // Only now, when nothing can throw any more, does the draft move.
    this.state = next;
    this.chain = step?.chainHash ?? this.chain;
    return { kind: 'logged', item, commandId, decidedAtMs, result, resultBytes, step };
  }

  /** Encoded here and not with the rows, so that bytes that cannot be made cost one command only. */
  private envelopes(
    item: RoomItem,
    events: readonly RoomEvent[],
    at: {
      readonly version: RoomVersion;
      readonly commandId: CommandId;
      readonly decidedAtMs: number;
      readonly onlineCount: number;
      readonly isOfRobotRoom: boolean;
    },
  ): DraftEvent[] {
    const { appCode, roomId } = this.state;
    const { imLanes } = this.context.options;
    return events.map((event, eventIndex) => {
      const eventId = eventIdOf(appCode, roomId, at.commandId, eventIndex);
      const envelope = this.context.codec.encodeEnvelope({
        eventId,
        appCode,
        roomId,
        eventType: event.type,
        roomVersion: at.version,
        eventIndex,
        occurredAtMs: at.decidedAtMs,
        commandId: at.commandId,
        actorUserId: actorOf(item),
        event,
      });
      const destinations = outboxDestinationsOf(event, imLanes, at);
      const imLane = imLaneOf(event, imLanes, at);
      return { event, eventId, envelope, destinations, imLane, isSampled: isSampled(event, at) };
    });
  }

  private aside(item: RoomItem, detail: string, reason: string): ItemEnd {
    if (item.kind === 'system') return { kind: 'nothing', item };
    // Not when its first try is in the log: a void would take back what that one applied.
    if (isGift(item) && item.payment.asked) return this.repeat(item) ?? this.giveBack(item, reason);
    const loose = { ...looseOf(item, reason, {}), deadLetterDetail: detail };
    return { kind: 'refused', item, loose };
  }
}

function outcomeOf(kind: 'applied' | 'noEffect' | 'rejected'): ResultRecord['outcome'] {
  return kind === 'noEffect' ? 'no_effect' : kind;
}

/** Rows of an older hash form are compared by type and user only; there is none yet. */
function sameCommand(stored: StoredResult, item: CommandItem): boolean {
  if (stored.commandType !== item.command.body.type) return false;
  if (stored.actorUserId !== item.command.actorUserId) return false;
  if (stored.payloadHashVersion !== item.payloadHash.version) return true;
  return Buffer.compare(stored.payloadHash, item.payloadHash.hash) === 0;
}
