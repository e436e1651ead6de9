/**
 * After COMMIT is known, never before (INV-14): live states are replaced, offsets settled, repeats
 * remembered, replies sent, timing lines written. Works on what is stored; nothing here can fail
 * the commands any more.
 */
import { roomKeyOf, splitRoomKey } from '../../domain/ids.ts';
import { roomView } from '../../domain/room/room-view.ts';
import { assert } from '../../kernel/assert.ts';
import type { LaneBatch } from '../../ports/commit-lane.ts';
import type { OutgoingReply } from '../../ports/reply-sink.ts';
import type { ReplyRecord } from '../../protocol/records.ts';
import type { CellContext } from '../cell-context.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import { logCommandTiming } from '../timing/command-timing.ts';
import type { LooseItem } from '../work.ts';
import type { BuiltBatch } from './build-batch.ts';
import type { ItemEnd, LoggedEnd, PartitionWork, ReplayedEnd, RoomDraft } from './draft.ts';

/** Calls `done` once: when the room is stored as it is, or after a bounded wait. */
export type SnapshotFirst = (room: RoomCell, done: () => void) => void;

/** Puts the batch into effect in memory and answers its callers. */
export function publishBatch(
  context: CellContext,
  built: BuiltBatch,
  drafts: readonly RoomDraft[],
  loose: readonly LooseItem[],
  saveMutationMs: number,
  snapshotFirst: SnapshotFirst,
): void {
  const nowMonoMs = context.clock.monoMs();
  for (const fence of built.batch.fences) {
    const partition = [...built.settles.keys()].find(({ id }) => id === fence.partition);
    if (partition === undefined || !partition.active) continue;
    partition.commitSeq += 1n;
    partition.busyInARow = 0;
    partition.persistedOffset = fence.appliedOffset;
    partition.persistedAtMonoMs = nowMonoMs;
    partition.offsets.settle(built.settles.get(partition) ?? []);
  }
  for (const draft of drafts) replaceState(draft);
  context.trace.at('cell.after_commit_before_reply');
  const replies: OutgoingReply[] = [];
  for (const { room, ends } of drafts) {
    for (const end of ends) {
      if (end.kind !== 'logged' || end.step?.forcesSnapshot !== true) {
        answer(context, room, end, saveMutationMs, replies);
      } else answerAfterSnapshot(context, room, end, saveMutationMs, snapshotFirst);
    }
  }
  for (const item of loose) answerLoose(context, item, saveMutationMs, replies);
  if (replies.length > 0) context.replies.send(replies);
  if (built.batch.eventRows.length > 0) context.wake.hint();
  const { roomRows } = built.batch;
  if (roomRows.length > 0) {
    context.listChanged?.(roomRows.map(({ appCode, roomId }) => roomKeyOf(appCode, roomId)));
  }
  tellBoards(context, built.batch);
  for (const draft of drafts) tellRtc(context, draft, saveMutationMs);
}

/** Behind the replies: whoever asked is answered whatever the RTC service does (RTC-1). */
function tellRtc({ rtcAtOnce }: CellContext, { room, ends }: RoomDraft, commitMs: number): void {
  for (const end of ends) {
    if (end.kind !== 'logged') continue;
    for (const { event } of end.step?.events ?? []) {
      rtcAtOnce?.committed(room, event, commitMs);
    }
  }
}

/** RES-32. The days of a batch are those of its gifts, however late it is stored (LB-3). */
function tellBoards({ giftsStored }: CellContext, { roomDays }: LaneBatch): void {
  if (giftsStored === undefined || roomDays.length === 0) return;
  giftsStored(
    roomDays.map(({ appCode, roomId, updatedAtMs }) => ({
      roomKey: roomKeyOf(appCode, roomId),
      givenAtMs: updatedAtMs,
    })),
  );
}

function replaceState({ room, state, chainHash, ends }: RoomDraft): void {
  assert(state.version >= room.state.version, 'the live state never moves back');
  room.state = state;
  room.chainHash = chainHash;
  room.reloads = 0;
  for (const end of ends) {
    if (end.kind !== 'logged') continue;
    remember(room, end);
    for (const { event } of end.step?.events ?? []) room.times.follow(event, end.decidedAtMs);
    hearJoin(room, end);
  }
}

/** A user who is present and joins again is heard of as well (PRES-20). */
function hearJoin(room: RoomCell, { item, decidedAtMs }: LoggedEnd): void {
  if (item.kind !== 'command' || item.command.body.type !== 'JoinRoom') return;
  const { actorUserId } = item.command;
  if (room.state.users.has(actorUserId)) room.times.hear(actorUserId, decidedAtMs);
}

/** RES-3. Only this command waits: the others of its batch are answered at once. */
function answerAfterSnapshot(
  context: CellContext,
  room: RoomCell,
  end: LoggedEnd,
  saveMutationMs: number,
  snapshotFirst: SnapshotFirst,
): void {
  const startedMonoMs = context.clock.monoMs();
  snapshotFirst(room, () => {
    end.item.clock.snapshotMs = context.clock.monoMs() - startedMonoMs;
    const replies: OutgoingReply[] = [];
    answer(context, room, end, saveMutationMs, replies);
    if (replies.length > 0) context.replies.send(replies);
  });
}

function remember(room: RoomCell, end: LoggedEnd): void {
  const { item } = end;
  if (item.kind !== 'command') return;
  const { command } = item;
  room.remember({
    roomKey: room.key,
    commandId: end.commandId,
    commandType: command.body.type,
    actorUserId: command.actorUserId,
    payloadHash: item.payloadHash.hash,
    payloadHashVersion: item.payloadHash.version,
    outcome: end.result.outcome,
    result: end.resultBytes,
  });
}

function answer(
  context: CellContext,
  room: RoomCell,
  end: ItemEnd,
  saveMutationMs: number,
  replies: OutgoingReply[],
): void {
  if (end.kind === 'nothing') return;
  if (end.kind === 'refused') {
    answerLoose(context, end.loose, saveMutationMs, replies);
    return;
  }
  end.item.clock.saveMutationMs = saveMutationMs;
  if (end.item.kind === 'command' && end.item.reply !== null) {
    const view =
      end.item.snapshotMode === 'view'
        ? roomView(room.state, end.item.command.actorUserId, context.options.limits.giftRankMax)
        : null;
    const replayed = end.kind === 'replayed';
    const reply: ReplyRecord = { kind: 'result', resultBytes: end.resultBytes, replayed, view };
    replies.push({ ...end.item.reply, value: context.codec.encodeReply(reply) });
  }
  timeEnd(context, room, end);
}

function timeEnd(context: CellContext, room: RoomCell, end: LoggedEnd | ReplayedEnd): void {
  const { item } = end;
  const events = end.kind === 'logged' ? (end.step?.events ?? []) : [];
  const destinations = new Set(events.flatMap((event) => event.destinations));
  const logged = end.kind === 'logged';
  logCommandTiming(
    context,
    {
      ...splitRoomKey(room.key),
      commandType: item.kind === 'command' ? item.command.body.type : item.body.type,
      commandId: end.kind === 'logged' ? end.commandId : end.item.command.commandId,
      actorUserId: item.kind === 'command' ? item.command.actorUserId : 'system',
      outcome: logged ? end.result.outcome : end.outcome,
      reason: logged ? end.result.reason : '',
      roomVersion: logged ? end.result.roomVersion : room.state.version,
      replayed: !logged,
      activityAsyncOutbox: destinations.has('activity'),
      tencentImAsyncOutbox: destinations.has('im'),
    },
    item.clock,
  );
}

function answerLoose(
  context: CellContext,
  loose: LooseItem,
  saveMutationMs: number,
  replies: OutgoingReply[],
): void {
  context.metrics.count('cell_refused_total', { reason: loose.reason });
  loose.clock.saveMutationMs = saveMutationMs;
  if (loose.reply !== null) {
    const { reason, facts, retryAfterMs } = loose;
    const value = context.codec.encodeReply({ kind: 'refusal', reason, facts, retryAfterMs });
    replies.push({ ...loose.reply, value });
  }
  logCommandTiming(
    context,
    {
      appCode: loose.command?.appCode ?? '',
      roomId: loose.command?.roomId ?? '',
      commandType: loose.command?.body.type ?? '',
      commandId: loose.command?.commandId ?? '',
      actorUserId: loose.command?.actorUserId ?? '',
      outcome: loose.deadLetterDetail === null ? 'refused' : 'dead_letter',
      reason: loose.reason,
      roomVersion: 0n,
      replayed: false,
      activityAsyncOutbox: false,
      tencentImAsyncOutbox: false,
    },
    loose.clock,
  );
}

/** Loose items of a gathering, in order. */
export function looseItems(works: readonly PartitionWork[]): readonly LooseItem[] {
  return works.flatMap(({ loose }) => loose);
}
