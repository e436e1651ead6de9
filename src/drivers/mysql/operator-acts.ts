/** What each act of an operator writes, what it needs to be there, and how the audit tells it from others. */
import { hash } from 'node:crypto';
import type { GiftOnOffer } from '../../ports/gift-catalogue.ts';
import type { OperatorAct } from '../../ports/operator-store.ts';
import { rocketRulesText } from '../../protocol/rocket-rules-text.ts';
import { dbNowMs } from './database-time.ts';
import { insertNextGift } from './mysql-gift-catalogue.ts';
import { insertNextRules } from './mysql-rocket-rules.ts';
import { dismissRows, noteReplay, replayedText, replayRows } from './replay-acts.ts';
import type { MysqlSession } from './session.ts';

/** Holds the entry until the transaction ends, so that the pin is set on what the audit names. */
export async function isListed(
  session: MysqlSession,
  { appCode, roomId }: OperatorAct & { readonly type: 'PinRoom' },
): Promise<boolean> {
  const rows = await session.rows(
    'SELECT 1 FROM room_list_entries WHERE app_code = ? AND room_id = ? FOR UPDATE',
    [appCode, roomId],
  );
  return rows.length > 0;
}

/** What tells one act from another, in the order of the columns. */
export function auditValues(act: OperatorAct): readonly (string | number)[] {
  const { operatorId, type } = act;
  switch (act.type) {
    case 'EvictUser':
      return [operatorId, type, act.userId, act.roomId, act.reason, act.expiresAtMs, 0, ''];
    case 'LiftPlatformBan':
      return [operatorId, type, act.userId, '', act.reason, 0, 0, ''];
    case 'PinRoom':
      return [operatorId, type, '', act.roomId, '', 0, act.pinned ? 1 : 0, ''];
    case 'AcceptState':
      return [operatorId, type, '', '', '', 0, 0, acceptedText(act)];
    case 'ReplayOutbox':
    case 'DismissOutbox':
      return [operatorId, type, '', act.roomId, '', act.createdBeforeMs, 0, replayedText(act)];
    case 'ReplayDeadLetter':
      return [operatorId, type, '', '', '', 0, 0, `record:${act.partition}@${act.offset}`];
    case 'DrainNode':
      return [operatorId, type, '', '', '', 0, 0, `node:${act.nodeId}`];
    case 'SetGift':
      return [operatorId, type, '', '', '', 0, 0, giftText(act.gift)];
    case 'SetRocketRules':
      return [operatorId, type, '', '', '', 0, 0, rulesText(act.rules)];
  }
}

/** What was set, in the audit: gift, price and marks. */
function giftText({ giftId, coinPrice, onSale, lucky }: GiftOnOffer): string {
  const marks = `${onSale ? 'on sale' : 'off sale'}${lucky ? ', lucky' : ''}`;
  return `gift:${giftId} coins:${coinPrice} ${marks}`;
}

/** Rules are longer than the column; their version holds them, and the audit tells one from another. */
function rulesText(rules: Parameters<typeof rocketRulesText>[0]): string {
  return `rocket rules sha256:${hash('sha256', rocketRulesText(rules), 'hex')}`;
}

type AcceptState = OperatorAct & { readonly type: 'AcceptState' };

/** What was accepted, in the audit: partition, state, expected offset and choice. */
function acceptedText({
  partition,
  state,
  expectedOffset,
  choice,
  replayUntil,
}: AcceptState): string {
  const until = choice === 'replay' ? `:${replayUntil}` : '';
  return `partition:${partition} ${state}@${expectedOffset} ${choice}${until}`;
}

const theStop = 'WHERE topic = ? AND partition_id = ? AND state = ? AND expected_offset = ?';

/** Holds the stop until the transaction ends, so that the word is about what the audit names. */
export async function isStanding(
  session: MysqlSession,
  topic: string,
  { partition, state, expectedOffset }: AcceptState,
): Promise<boolean> {
  const rows = await session.rows(`SELECT 1 FROM partition_stops ${theStop} FOR UPDATE`, [
    topic,
    partition,
    state,
    expectedOffset,
  ]);
  return rows.length > 0;
}

/** Holds the node's row until the transaction ends. */
export async function isLiving(
  session: MysqlSession,
  topic: string,
  { nodeId }: OperatorAct & { readonly type: 'DrainNode' },
): Promise<boolean> {
  const rows = await session.rows(
    'SELECT 1 FROM cell_nodes WHERE topic = ? AND node_id = ? ' +
      `AND lease_until_ms > ${dbNowMs} FOR UPDATE`,
    [topic, nodeId],
  );
  return rows.length > 0;
}

/** Writes what an act is about, within the transaction of its row in the audit. */
export async function changeByAct(
  session: MysqlSession,
  topic: string,
  act: OperatorAct,
  nowMs: number,
): Promise<void> {
  const { appCode } = act;
  switch (act.type) {
    case 'EvictUser':
      if (act.roomId !== '') return;
      await session.run(
        'INSERT INTO user_bans (app_code, user_id, reason, banned_by, banned_at_ms, ' +
          'expires_at_ms) VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE ' +
          'reason = VALUES(reason), banned_by = VALUES(banned_by), ' +
          'banned_at_ms = VALUES(banned_at_ms), expires_at_ms = VALUES(expires_at_ms)',
        [appCode, act.userId, act.reason, act.operatorId, nowMs, act.expiresAtMs],
      );
      return;
    case 'LiftPlatformBan':
      await session.run('DELETE FROM user_bans WHERE app_code = ? AND user_id = ?', [
        appCode,
        act.userId,
      ]);
      return;
    case 'PinRoom':
      await session.run(
        'UPDATE room_list_entries SET pinned = ? WHERE app_code = ? AND room_id = ?',
        [act.pinned ? 1 : 0, appCode, act.roomId],
      );
      return;
    case 'AcceptState':
      // A later word about one stop replaces the earlier one.
      await session.run(
        'UPDATE partition_stops SET accepted_choice = ?, accepted_replay = ?, accepted_by = ?, ' +
          `accepted_at_ms = ? ${theStop}`,
        [
          ...[act.choice, act.replayUntil, act.operatorId, nowMs],
          ...[topic, act.partition, act.state, act.expectedOffset],
        ],
      );
      return;
    case 'ReplayOutbox':
      return replayRows(session, act, nowMs);
    case 'DismissOutbox':
      return dismissRows(session, act, nowMs);
    case 'ReplayDeadLetter':
      return noteReplay(session, topic, act, nowMs);
    case 'DrainNode':
      await session.run(
        'UPDATE cell_nodes SET drain_asked_by = ? WHERE topic = ? AND node_id = ?',
        [act.operatorId, topic, act.nodeId],
      );
      return;
    case 'SetGift':
      await insertNextGift(session, appCode, act.gift, nowMs, act.commandId);
      return;
    case 'SetRocketRules':
      await insertNextRules(session, appCode, act.rules, nowMs, act.commandId);
  }
}
