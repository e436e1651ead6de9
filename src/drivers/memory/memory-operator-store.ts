/** Memory twin of what operators change and read. */
import { roomKeyOf } from '../../domain/ids.ts';
import type { CommandId, RoomKey, RoomVersion } from '../../domain/ids.ts';
import type { LogRow } from '../../ports/commit-lane.ts';
import { loggedCommandsMax } from '../../ports/operator-store.ts';
import type {
  ActOutcome,
  LoggedCommand,
  OperatorAct,
  OperatorStore,
} from '../../ports/operator-store.ts';
import type { StoppedPartition } from '../../ports/partition-stops.ts';
import { change, put, remove, type MemoryDatabase } from './memory-database.ts';
import { nextGift } from './memory-gift-catalogue.ts';
import { hasRecord, placeText, replayRows } from './memory-replay-store.ts';
import { nextRules } from './memory-rocket-rules.ts';
import { actKey, placeKey, userBanKey } from './memory-rows.ts';
import type { RowChange } from './memory-session.ts';

/** See the file header. */
export class MemoryOperatorStore implements OperatorStore {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  carryOut(act: OperatorAct, nowMs: number): Promise<ActOutcome> {
    const { server, listEntries, operatorAudit, stops, nodes } = this.database;
    return server.call('operators', `carrying out ${act.type}`, 'write', () => {
      const { appCode, commandId } = act;
      if (act.type === 'PinRoom' && !listEntries.has(roomKeyOf(appCode, act.roomId))) {
        return 'noRoom';
      }
      const key = actKey(appCode, commandId);
      const earlier = operatorAudit.get(key);
      if (earlier !== undefined) return isSame(earlier, act) ? 'repeat' : 'reused';
      if (act.type === 'AcceptState' && !isStanding(stops.get(act.partition), act)) return 'noStop';
      if (act.type === 'ReplayDeadLetter' && !hasRecord(this.database, act)) return 'noLetter';
      if (act.type === 'DrainNode') {
        const leaseUntilMs = nodes.get(act.nodeId)?.leaseUntilMs ?? 0;
        if (leaseUntilMs <= server.clock.wallMs()) return 'noNode';
      }
      const audited = put(operatorAudit, key, { ...act, doneAtMs: nowMs });
      this.database.commit([audited, ...changesOf(act, nowMs, this.database)]);
      return 'done';
    });
  }

  appliedCommands(
    roomKey: RoomKey,
    before: RoomVersion | null,
    limit: number,
  ): Promise<readonly LoggedCommand[]> {
    const isBehind = ({ appliedVersion }: LogRow): boolean =>
      appliedVersion !== null && (before === null || appliedVersion < before);
    return this.read(roomKey, isBehind, limit, (one, other) =>
      one.decidedVersion > other.decidedVersion ? -1 : 1,
    );
  }

  unappliedCommands(
    roomKey: RoomKey,
    after: CommandId | '',
    limit: number,
  ): Promise<readonly LoggedCommand[]> {
    const isBehind = ({ appliedVersion, commandId }: LogRow): boolean =>
      appliedVersion === null && commandId > after;
    return this.read(roomKey, isBehind, limit, (one, other) =>
      one.commandId < other.commandId ? -1 : 1,
    );
  }

  private read(
    roomKey: RoomKey,
    isAsked: (row: LogRow) => boolean,
    limit: number,
    order: (one: LogRow, other: LogRow) => number,
  ): Promise<readonly LoggedCommand[]> {
    return this.database.server.call('operators', 'reading the log of a room', 'read', () =>
      this.database.log
        .rowsBy('room', roomKey)
        .filter(isAsked)
        .sort(order)
        .slice(0, Math.min(Math.max(limit, 1), loggedCommandsMax))
        .map((row) => this.commandOf(row)),
    );
  }

  private commandOf(row: LogRow): LoggedCommand {
    const { commandId, commandType, actorUserId, outcome, decidedVersion, decidedAtMs } = row;
    const { partition, kafkaOffset, epoch, ownerNodeId } = row;
    return {
      commandId,
      commandType,
      actorUserId,
      outcome,
      decidedVersion,
      decidedAtMs,
      partition,
      kafkaOffset,
      epoch,
      ownerNodeId,
      eventTypes: row.appliedVersion === null ? [] : this.eventTypes(row, row.appliedVersion),
    };
  }

  private eventTypes({ appCode, roomId }: LogRow, roomVersion: RoomVersion): readonly string[] {
    const types: string[] = [];
    for (let eventIndex = 0; ; eventIndex += 1) {
      const place = placeKey({ appCode, roomId, roomVersion, eventIndex });
      const [row] = this.database.events.rowsBy('place', place);
      if (row === undefined) return types;
      types.push(row.eventType);
    }
  }
}

function isSame(earlier: OperatorAct, act: OperatorAct): boolean {
  return Object.entries(act).every(
    ([field, value]) => textOf(earlier[field as keyof OperatorAct]) === textOf(value),
  );
}

/** One text for one value, gifts and rules included. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'bigint' ? `${part}n` : part,
  );
}

function isStanding(
  stop: StoppedPartition | undefined,
  act: OperatorAct & { readonly type: 'AcceptState' },
): boolean {
  return stop?.state === act.state && stop.expectedOffset === act.expectedOffset;
}

function changesOf(
  act: OperatorAct,
  nowMs: number,
  database: MemoryDatabase,
): readonly RowChange[] {
  const { userBans, listEntries, stops, letterReplays, nodes, setByActs } = database;
  const { appCode, commandId, operatorId } = act;
  switch (act.type) {
    case 'EvictUser': {
      const { userId, reason, expiresAtMs } = act;
      if (act.roomId !== '') return [];
      const ban = { appCode, userId, reason, bannedBy: operatorId, bannedAtMs: nowMs, expiresAtMs };
      return [put(userBans, userBanKey(appCode, userId), ban)];
    }
    case 'LiftPlatformBan':
      return [remove(userBans, userBanKey(appCode, act.userId))];
    case 'PinRoom':
      return [
        change(listEntries, roomKeyOf(appCode, act.roomId), (row) => ({
          ...row,
          pinned: act.pinned,
        })),
      ];
    case 'AcceptState': {
      const { choice, replayUntil } = act;
      const acceptance = { choice, replayUntil, operatorId, acceptedAtMs: nowMs };
      return [change(stops, act.partition, (row) => ({ ...row, acceptance }))];
    }
    case 'ReplayOutbox':
    case 'DismissOutbox':
      return replayRows(database, act, nowMs);
    case 'ReplayDeadLetter':
      return [put(letterReplays, placeText(act), { atMs: nowMs, by: operatorId })];
    case 'DrainNode':
      return [change(nodes, act.nodeId, (row) => ({ ...row, drainAskedBy: operatorId }))];
    case 'SetGift': {
      const { stored, changes } = nextGift(database, appCode, act.gift, nowMs);
      return [...changes, put(setByActs, actKey(appCode, commandId), stored.catalogueVersion)];
    }
    case 'SetRocketRules': {
      const { stored, changes } = nextRules(database, appCode, act.rules);
      return [...changes, put(setByActs, actKey(appCode, commandId), stored.rulesVersion)];
    }
  }
}
