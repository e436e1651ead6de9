/** What operators change and read in MySQL. */
import { splitRoomKey } from '../../domain/ids.ts';
import type { CommandId, RoomKey, RoomVersion, UserId } from '../../domain/ids.ts';
import { assertDefined } from '../../kernel/assert.ts';
import { loggedCommandsMax } from '../../ports/operator-store.ts';
import type {
  ActOutcome,
  LoggedCommand,
  OperatorAct,
  OperatorStore,
} from '../../ports/operator-store.ts';
import { toMysqlError } from './mysql-errors.ts';
import type { MysqlPool } from './pool.ts';
import { auditValues, changeByAct, isListed, isLiving, isStanding } from './operator-acts.ts';
import { isSetAside } from './replay-acts.ts';
import type { MysqlSession, Row } from './session.ts';

const logColumns =
  'command_id, command_type, actor_user_id, outcome, applied_version, decided_version, ' +
  'decided_at_ms, partition_id, kafka_offset, epoch, owner_node_id';

/** See the port. */
export class MysqlOperatorStore implements OperatorStore {
  private readonly pool: MysqlPool;
  private readonly topic: string;

  /** `topic`: of the commands, whose partitions may stand still. */
  constructor(pool: MysqlPool, topic: string) {
    this.pool = pool;
    this.topic = topic;
  }

  carryOut(act: OperatorAct, nowMs: number): Promise<ActOutcome> {
    return this.pool.transaction(`carrying out ${act.type}`, async (session) => {
      if (act.type === 'PinRoom' && !(await isListed(session, act))) return 'noRoom';
      if (act.type === 'AcceptState' && !(await isStanding(session, this.topic, act))) {
        // A repeat is one although its stop is gone by now.
        return (await earlierAct(session, act)) ?? 'noStop';
      }
      if (act.type === 'ReplayDeadLetter' && !(await isSetAside(session, this.topic, act))) {
        return 'noLetter';
      }
      if (act.type === 'DrainNode' && !(await isLiving(session, this.topic, act))) {
        // The same: the process that was drained may have ended meanwhile.
        return (await earlierAct(session, act)) ?? 'noNode';
      }
      if (!(await isAudited(session, act, nowMs))) {
        return assertDefined(await earlierAct(session, act), 'a row that was met is gone');
      }
      await changeByAct(session, this.topic, act, nowMs);
      return 'done';
    });
  }

  async appliedCommands(
    roomKey: RoomKey,
    before: RoomVersion | null,
    limit: number,
  ): Promise<readonly LoggedCommand[]> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    const behind = before === null ? 'IS NOT NULL' : '< ?';
    const rows = await this.pool.rows(
      'reading the applied commands of a room',
      `SELECT ${logColumns} FROM room_command_log WHERE app_code = ? AND room_id = ? ` +
        `AND applied_version ${behind} ORDER BY applied_version DESC LIMIT ?`,
      [appCode, roomId, ...(before === null ? [] : [before]), sizeOf(limit)],
    );
    const types = await this.eventTypes(roomKey, rows);
    return rows.map((row) => commandOf(row, types.get(String(row['applied_version'])) ?? []));
  }

  async unappliedCommands(
    roomKey: RoomKey,
    after: CommandId | '',
    limit: number,
  ): Promise<readonly LoggedCommand[]> {
    const { appCode, roomId } = splitRoomKey(roomKey);
    // Rows without a version lie together in the key of versions, by command id: no walk over the log.
    const rows = await this.pool.rows(
      'reading the commands of a room that changed nothing',
      `SELECT ${logColumns} FROM room_command_log WHERE app_code = ? AND room_id = ? ` +
        'AND applied_version IS NULL AND command_id > ? ORDER BY command_id LIMIT ?',
      [appCode, roomId, after, sizeOf(limit)],
    );
    return rows.map((row) => commandOf(row, []));
  }

  /** Event types by version, of the versions of one page. */
  private async eventTypes(
    roomKey: RoomKey,
    page: readonly Row[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const types = new Map<string, string[]>();
    const [newest, oldest] = [page[0], page.at(-1)];
    if (newest === undefined || oldest === undefined) return types;
    const { appCode, roomId } = splitRoomKey(roomKey);
    const rows = await this.pool.rows(
      'reading the event types of a room',
      'SELECT room_version, event_type FROM room_events WHERE app_code = ? AND room_id = ? ' +
        'AND room_version BETWEEN ? AND ? ORDER BY room_version, event_index',
      [appCode, roomId, oldest['applied_version'], newest['applied_version']],
    );
    for (const row of rows) {
      const version = String(row['room_version']);
      const ofVersion = types.get(version) ?? [];
      ofVersion.push(String(row['event_type']));
      types.set(version, ofVersion);
    }
    return types;
  }
}

/** False: the id has a row already. */
async function isAudited(session: MysqlSession, act: OperatorAct, nowMs: number): Promise<boolean> {
  const { appCode, commandId } = act;
  try {
    await session.run(
      'INSERT INTO operator_audit (app_code, command_id, operator_id, action, user_id, room_id, ' +
        'reason, expires_at_ms, pinned, subject, done_at_ms) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [appCode, commandId, ...auditValues(act), nowMs],
    );
    return true;
  } catch (thrown) {
    if (toMysqlError(thrown).sort === 'duplicate') return false;
    throw thrown;
  }
}

/**
 * Scenario: two calls with one id at once. The second INSERT waits for the first one's COMMIT and is
 * refused; this read locks, so that it sees that row and not the past. Test: "done once, however many
 * calls of the id come at once".
 */
async function earlierAct(
  session: MysqlSession,
  act: OperatorAct,
): Promise<'repeat' | 'reused' | null> {
  const rows = await session.rows(
    'SELECT operator_id, action, user_id, room_id, reason, expires_at_ms, pinned, subject ' +
      'FROM operator_audit WHERE app_code = ? AND command_id = ? LOCK IN SHARE MODE',
    [act.appCode, act.commandId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const earlier = Object.values(row).map(String);
  const isSame = auditValues(act).every((value, index) => String(value) === earlier[index]);
  return isSame ? 'repeat' : 'reused';
}

function sizeOf(limit: number): number {
  return Math.min(Math.max(limit, 1), loggedCommandsMax);
}

function commandOf(row: Row, eventTypes: readonly string[]): LoggedCommand {
  const offset = row['kafka_offset'] ?? null;
  return {
    commandId: String(row['command_id']) as CommandId,
    commandType: String(row['command_type']),
    actorUserId: String(row['actor_user_id']) as UserId,
    outcome: String(row['outcome']) as LoggedCommand['outcome'],
    decidedVersion: BigInt(String(row['decided_version'])) as RoomVersion,
    decidedAtMs: Number(row['decided_at_ms']),
    partition: Number(row['partition_id']),
    kafkaOffset: offset === null ? null : BigInt(String(offset)),
    epoch: BigInt(String(row['epoch'])),
    ownerNodeId: String(row['owner_node_id']),
    eventTypes,
  };
}
