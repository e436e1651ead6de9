/** From decided drafts to the rows of one transaction. Pure but for reading the room objects. */
import type { RoomCloseInfo, RoomState } from '../../domain/room/state.ts';
import { eventRoute } from '../../domain/events/destinations.ts';
import { nextDeadline } from '../../domain/room/deadlines.ts';
import { assert, assertDefined } from '../../kernel/assert.ts';
import type { SourceRecord } from '../../ports/command-source.ts';
import type {
  DeadLetterRow,
  EventRow,
  FenceStep,
  LaneBatch,
  LogRow,
  RoomMetaRow,
} from '../../ports/commit-lane.ts';
import { leaseToken } from '../../protocol/lease-token.ts';
import { payloadHash } from '../../protocol/payload-hash.ts';
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import { nextSweepMs } from '../presence/soft-times.ts';
import { actorOf, type LooseItem, type RoomItem } from '../work.ts';
import {
  giftsOf,
  giftStatsOf,
  roomDaysOf,
  roomWeeksOf,
  settlementsOf,
  userWeeksOf,
} from './gift-rows.ts';
import { userRoomsOf } from './user-rooms.ts';
import type { DraftStep, LoggedEnd, PartitionWork, RoomDraft } from './draft.ts';

/** Longest text in a dead-letter row. */
const deadLetterDetailMax = 1000;

/** A batch ready to commit, with what its partitions' rows will say afterwards. */
export interface BuiltBatch {
  readonly batch: LaneBatch;
  /** Offsets that each partition settles with this batch. */
  readonly settles: ReadonlyMap<Partition, ReadonlySet<bigint>>;
}

/**
 * Builds the rows. `works` and `drafts` belong together; partitions come out ascending. Dead-letter
 * rows of `bareRecords` are written without the record's bytes.
 */
export function buildBatch(
  context: CellContext,
  works: readonly PartitionWork[],
  drafts: readonly RoomDraft[],
  bareRecords: ReadonlySet<SourceRecord>,
): BuiltBatch {
  const settles = new Map<Partition, Set<bigint>>();
  const refused = new Map<Partition, LooseItem[]>();
  for (const { partition, loose } of works) {
    settles.set(partition, new Set(loose.map(({ record }) => record.offset)));
    refused.set(partition, [...loose]);
  }
  for (const { room, ends } of drafts) {
    const offsets = assertDefined(settles.get(room.partition), 'a room outside of the batch');
    for (const end of ends) {
      if (end.item.kind === 'command') offsets.add(end.item.record.offset);
      if (end.kind === 'refused') refused.get(room.partition)?.push(end.loose);
    }
  }
  const fences = works
    .map(({ partition }) =>
      fenceOf(context, partition, settles.get(partition), refused.get(partition)),
    )
    .sort((left, right) => left.partition - right.partition);
  const gifts = drafts.flatMap(giftsOf);
  const written = drafts.map((draft) => ({ draft, steps: loggedSteps(draft) }));
  return {
    settles,
    batch: {
      fences,
      logRows: drafts.flatMap((draft) => logRowsOf(context, draft)),
      eventRows: drafts.flatMap((draft) => eventRowsOf(context, draft)),
      roomRows: written
        .filter(({ steps }) => steps.length > 0)
        .map(({ draft, steps }) => roomRowOf(context, draft, steps)),
      userRooms: drafts.flatMap(userRoomsOf),
      deadLetters: [...refused.values()]
        .flat()
        .flatMap((loose) => deadLetterOf(context, loose, bareRecords)),
      settlements: drafts.flatMap((draft) => settlementsOf(context, draft)),
      giftStats: gifts.flatMap(giftStatsOf),
      roomDays: gifts.flatMap(roomDaysOf),
      roomWeeks: gifts.flatMap(roomWeeksOf),
      userWeeks: gifts.flatMap(userWeeksOf),
      versionChecks: written
        // A broken room's memory says nothing about its version, and nothing here changes it.
        .filter(({ draft, steps }) => steps.length === 0 && draft.room.phase !== 'broken')
        .map(({ draft }) => ({ roomKey: draft.room.key, version: draft.room.state.version })),
    },
  };
}

function fenceOf(
  context: CellContext,
  partition: Partition,
  offsets: ReadonlySet<bigint> | undefined,
  refused: readonly LooseItem[] | undefined,
): FenceStep {
  const applied = partition.offsets.appliedWith(offsets ?? new Set());
  const { appliedOffset } = applied;
  assert(appliedOffset >= partition.persistedOffset, 'the applied offset never moves back');
  // Above the applied offset only refusals need a row of their own: logged ends are found by the
  // offset in their log row, and repeats and heartbeats may be met again without harm.
  const settledOffsets = (refused ?? [])
    .map(({ record }) => record.offset)
    .filter((offset) => offset > appliedOffset);
  return {
    partition: partition.id,
    epoch: partition.epoch,
    incarnation: context.options.incarnation,
    commitSeq: partition.commitSeq,
    ...applied,
    settledOffsets,
  };
}

function loggedEnds(draft: RoomDraft): LoggedEnd[] {
  return draft.ends.filter((end) => end.kind === 'logged');
}

function loggedSteps(draft: RoomDraft): DraftStep[] {
  return loggedEnds(draft).flatMap(({ step }) => (step === null ? [] : [step]));
}

function logRowsOf(context: CellContext, draft: RoomDraft): LogRow[] {
  const { room } = draft;
  const { appCode, roomId } = draft.state;
  return loggedEnds(draft).map(({ item, commandId, decidedAtMs, result, resultBytes, step }) => {
    const hash = hashOf(item);
    return {
      appCode,
      roomId,
      commandId,
      commandType: item.kind === 'command' ? item.command.body.type : item.body.type,
      actorUserId: actorOf(item),
      payloadHash: hash.hash,
      payloadHashVersion: hash.version,
      outcome: result.outcome,
      appliedVersion: step?.version ?? null,
      decidedVersion: result.roomVersion,
      decidedAtMs,
      result: resultBytes,
      events: step?.eventBytes ?? null,
      chainHash: step?.chainHash ?? null,
      partition: room.partition.id,
      kafkaOffset: item.kind === 'command' ? item.record.offset : null,
      epoch: room.partition.epoch,
      ownerNodeId: context.options.nodeId,
      // Without an answer of Redis the row still names the epoch under which it was committed.
      leaseToken: room.leaseToken === '' ? leaseToken(room.partition.epoch, 0n) : room.leaseToken,
    };
  });
}

function hashOf(item: RoomItem): ReturnType<typeof payloadHash> {
  if (item.kind === 'command') return item.payloadHash;
  return payloadHash({ actorUserId: actorOf(item), body: item.body });
}

function eventRowsOf(context: CellContext, draft: RoomDraft): EventRow[] {
  const { appCode, roomId } = draft.state;
  return loggedEnds(draft).flatMap(({ decidedAtMs, step }) =>
    (step?.events ?? []).map(({ event, eventId, envelope, destinations }, eventIndex) => {
      const roomVersion = assertDefined(step, 'events without a step').version;
      const route = eventRoute(event.type);
      return {
        appCode,
        roomId,
        roomVersion,
        eventIndex,
        eventId,
        eventType: event.type,
        occurredAtMs: decidedAtMs,
        envelope,
        destinations,
        usefulUntilMs: route.repairedBySnapshot
          ? decidedAtMs + context.options.imUsefulForMs
          : null,
      };
    }),
  );
}

function roomRowOf(
  { options }: CellContext,
  draft: RoomDraft,
  steps: readonly DraftStep[],
): RoomMetaRow {
  const { state, room } = draft;
  assert(state.status !== 'absent', 'an applied step left the room absent');
  assert(state.version === room.state.version + BigInt(steps.length), 'steps and version differ');
  return {
    appCode: state.appCode,
    roomId: state.roomId,
    partition: room.partition.id,
    previousVersion: room.state.version,
    version: state.version,
    status: state.status,
    ownerUserId: assertDefined(state.ownerUserId, 'a room that exists has an owner'),
    ...listFacts(state),
    passwordHash: state.passwordHash,
    passwordVersion: state.passwordVersion,
    createdAtMs: state.createdAtMs,
    updatedAtMs: state.lastEventAtMs,
    nextDeadlineMs: nextDeadline(state)?.atMs ?? null,
    nextSweepMs: nextSweepMs(state, options.presenceStaleAfterMs),
    chainHash: draft.chainHash,
    closeInfoJson: state.closeInfo === null ? null : closeInfoJson(state.closeInfo),
  };
}

/** Heat as a text, because no reader of JSON keeps a number of 64 bits. */
function closeInfoJson(closeInfo: RoomCloseInfo): string {
  return JSON.stringify({ ...closeInfo, finalHeat: String(closeInfo.finalHeat) });
}

function listFacts(
  state: RoomState,
): Pick<
  RoomMetaRow,
  | 'title'
  | 'coverUrl'
  | 'seatCount'
  | 'mode'
  | 'visibleRegionId'
  | 'locked'
  | 'tags'
  | 'onlineCount'
  | 'heat'
> {
  return {
    title: state.profile.title,
    coverUrl: state.profile.coverUrl,
    seatCount: state.seats.length,
    mode: state.mode,
    visibleRegionId: state.visibleRegionId,
    locked: state.passwordHash !== '',
    tags: state.profile.tags,
    onlineCount: state.users.size,
    heat: state.heat,
  };
}

function deadLetterOf(
  context: CellContext,
  loose: LooseItem,
  bareRecords: ReadonlySet<SourceRecord>,
): DeadLetterRow[] {
  if (loose.deadLetterDetail === null) return [];
  const { record } = loose;
  const bare = bareRecords.has(record);
  return [
    {
      topic: context.options.commandsTopic,
      partition: record.partition,
      kafkaOffset: record.offset,
      reason: loose.reason,
      detail: loose.deadLetterDetail.slice(0, deadLetterDetailMax),
      recordKey: bare ? null : record.key,
      recordValue: bare ? null : record.value,
      headersJson: bare ? '{}' : JSON.stringify(record.headers),
      recordTimeMs: record.recordTimeMs,
      createdAtMs: context.clock.wallMs(),
    },
  ];
}
