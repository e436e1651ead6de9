/**
 * Units of work inside a cell. Each knows the partition instance it came in under: when that
 * instance is no longer active, the work is dropped without a trace outside (the successor has it).
 */
import type { RoomKey, UserId } from '../domain/ids.ts';
import type { ConfirmMicPublishing } from '../domain/mic/mic-commands.ts';
import type { RoomCommand, SystemCommandBody, SystemCommandType } from '../domain/room/commands.ts';
import type { SourceRecord } from '../ports/command-source.ts';
import type { StoredResult } from '../ports/room-reader.ts';
import type { SnapshotMode } from '../protocol/records.ts';
import type { PayloadHash } from '../protocol/payload-hash.ts';
import type { Payment } from './charges/payment.ts';

/** Where an answer goes. */
export interface ReplyAddress {
  readonly replyPartition: number;
  readonly correlationId: string;
}

/** Stage times of one command, for `room_command_timing`. */
export interface CommandClock {
  /** Monotonic time at which the record was read. */
  readonly readAtMonoMs: number;
  idempotencyMs: number;
  leaseMs: number;
  walletDebitMs: number;
  saveMutationMs: number;
  snapshotMs: number;
}

/** A command from the topic. */
export interface CommandItem {
  readonly kind: 'command';
  readonly roomKey: RoomKey;
  readonly command: RoomCommand;
  readonly payloadHash: PayloadHash;
  readonly snapshotMode: SnapshotMode;
  readonly record: SourceRecord;
  /** Wall time after which it must not start; null: never expires. */
  readonly expiresAtMs: number | null;
  readonly reply: ReplyAddress | null;
  readonly clock: CommandClock;
  /** The log row of an earlier try, once looked up. */
  stored: StoredResult | null;
  /** The log row of an earlier try is there and cannot be trusted. */
  damaged: boolean;
  /** Null: the command costs nothing. */
  readonly payment: Payment | null;
  /** Processes ended over it: it must not be decided, nor anything outside be called for it. */
  readonly isPoison: boolean;
}

/**
 * A command of the room's own owner, by a timer or for a heartbeat: no record, no offset, a log row
 * only when applied.
 */
export interface SystemItem {
  readonly kind: 'system';
  readonly roomKey: RoomKey;
  readonly body: SystemCommandBody | ConfirmMicPublishing;
  /** In whose name it stands in the log. */
  readonly actorUserId: UserId;
  /** First part of the command id `sys:<name>:<version>`. */
  readonly name: string;
  readonly clock: CommandClock;
}

/** First part of the command ids `sys:<name>:<version>`: stored in logs, never to be changed. */
export const systemCommandNames = {
  ExpireMicPublish: 'mic-publish-timeout',
  ExpireMicHeartbeat: 'mic-stale',
  ExpireMicRequests: 'mic-request-timeout',
  SweepStaleUsers: 'presence-stale',
  ExpireBans: 'ban-expiry',
  FinishClosing: 'closing-grace',
  NotePasswordAttempt: 'password-attempt',
  LaunchRocket: 'rocket-launch',
} as const satisfies Record<SystemCommandType, string>;

/** The same for a confirmation that a mic heartbeat stands for (decision 7). */
const confirmationName = 'mic-confirm';

/** User id under which what nobody asked for stands in the log. */
export const systemUserId = 'system' as UserId;

/** A command by the room's own timers. */
export function timerItem(
  roomKey: RoomKey,
  body: SystemCommandBody,
  clock: CommandClock,
): SystemItem {
  const name = systemCommandNames[body.type];
  return { kind: 'system', roomKey, body, actorUserId: systemUserId, name, clock };
}

/** The confirmation that a heartbeat of this user stands for: in the user's name, as if it had asked. */
export function confirmationItem(
  roomKey: RoomKey,
  actorUserId: UserId,
  body: ConfirmMicPublishing,
  clock: CommandClock,
): SystemItem {
  return { kind: 'system', roomKey, body, actorUserId, name: confirmationName, clock };
}

/** In whose name an item stands in the log and in its events. */
export function actorOf(item: RoomItem): UserId {
  return item.kind === 'command' ? item.command.actorUserId : item.actorUserId;
}

/** What waits in a room's queue. */
export type RoomItem = CommandItem | SystemItem;

/** A record that ends without a room deciding it: set aside, or refused with its id left free. */
export interface LooseItem {
  readonly kind: 'loose';
  readonly record: SourceRecord;
  /** What the timing line names; null: the record could not be read as a command. */
  readonly command: RoomCommand | null;
  readonly reply: ReplyAddress | null;
  readonly reason: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
  /** Text for the dead-letter row; null: refused only, nothing is set aside. */
  readonly deadLetterDetail: string | null;
  readonly clock: CommandClock;
}

/** Text of the dead-letter rows of records over which processes ended. */
export const poisonDetail = 'the processes that began this record ended over it';

/** A command turned into a refusal that leaves its id free. */
export function looseOf(
  item: CommandItem,
  reason: string,
  facts: Readonly<Record<string, string>>,
  retryAfterMs = 0,
): LooseItem {
  const { record, command, reply, clock } = item;
  const outcome = { reason, facts, retryAfterMs, deadLetterDetail: null };
  return { kind: 'loose', record, command, reply, ...outcome, clock };
}

/** The answer of a room whose stored history does not add up. */
export function brokenRoomRefusal(item: CommandItem): LooseItem {
  const { appCode, roomId } = item.command;
  return looseOf(item, 'ROOM_CORRUPT', { app_code: appCode, room_id: roomId });
}

/** Starts the clock of a unit of work. */
export function startClock(nowMonoMs: number): CommandClock {
  return {
    readAtMonoMs: nowMonoMs,
    idempotencyMs: 0,
    leaseMs: 0,
    walletDebitMs: 0,
    saveMutationMs: 0,
    snapshotMs: 0,
  };
}

/** Size by which a batch is capped. */
export function itemBytes(item: RoomItem): number {
  return item.kind === 'command' ? (item.record.value?.byteLength ?? 0) : 64;
}
