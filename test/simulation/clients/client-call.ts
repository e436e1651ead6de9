/** From what a plan asks for to a call of the gateway's API, and from what came back to its end. */
import { reasonRow } from '../../../src/domain/reasons.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { CallFrame, CommandRequest, RoomApi } from '../../../src/ports/room-api.ts';
import type { CallAsk, CallEnd } from '../observations.ts';
import type { PlannedAsk, PlannedClient } from '../plan/planned-call.ts';

/** What a request needs beside its plan. */
export interface RequestFacts {
  readonly clients: readonly PlannedClient[];
  /** The session that the choice means for this client. */
  readonly sessionId: string;
}

/** Name of a room, the same in each app. */
export function roomIdOf(room: number): string {
  return `r${room + 1}`;
}

/** The business fields of a command; null for asks that are none. */
export function requestOf(ask: PlannedAsk, facts: RequestFacts): CommandRequest | null {
  const userIdOf = (client: number): string => facts.clients[client]?.userId ?? 'nobody';
  switch (ask.type) {
    case 'CreateRoom':
      return {
        type: ask.type,
        title: 'a room',
        coverUrl: '',
        backgroundUrl: '',
        seatCount: ask.seatCount,
        mode: 'free',
        visibleRegionId: 1n,
        password: ask.password,
        tags: ['sim'],
        ext: '',
      };
    case 'JoinRoom': {
      const { type, password, isRobot } = ask;
      return { type, password, isRobot, nickname: 'n', avatarUrl: '', countryCode: '', ext: '' };
    }
    case 'LeaveRoom':
      return { type: ask.type };
    case 'MicUp':
      return { type: ask.type, seatNo: ask.seatNo };
    case 'MicDown': {
      const userId = ask.target === null ? '' : userIdOf(ask.target);
      return { type: ask.type, userId, micSessionId: facts.sessionId };
    }
    case 'ConfirmMicPublishing':
      return { type: ask.type, micSessionId: facts.sessionId };
    case 'CloseRoom':
      return { type: ask.type, reason: ask.reason, note: '' };
    case 'SendGift': {
      const { type, giftId, giftCount } = ask;
      const targetUserIds = [...new Set(ask.targets.map(userIdOf))];
      return { type, giftId, giftCount, targetUserIds, comboId: '' };
    }
    case 'RoomHeartbeat':
    case 'GetRoomSnapshot':
    case 'GetCommand':
      return null;
  }
}

/** Makes the call; throws what the API throws. */
export async function invoke(api: RoomApi, frame: CallFrame, ask: CallAsk): Promise<CallEnd> {
  switch (ask.kind) {
    case 'command': {
      const { result, replayed, view } = await api.execute(frame, ask.meta, ask.request);
      return { kind: 'ok', result, replayed, view };
    }
    case 'heartbeat':
      await api.heartbeat(frame, ask.meta);
      return { kind: 'heartbeatTaken' };
    case 'getCommand':
      return { kind: 'lookup', lookup: await api.getCommand(frame, ask) };
    case 'getRoomSnapshot':
      return { kind: 'snapshot', view: await api.getRoomSnapshot(frame, ask) };
  }
}

/** What a failure of the API means to its client. Anything else is a fault of the product: thrown on. */
export function endOfFailure(error: unknown): CallEnd {
  if (!(error instanceof Failure)) throw error;
  const { reason, facts } = error;
  if (reason === 'OUTCOME_UNKNOWN') return { kind: 'unknown', reason };
  if (facts['produced'] === 'no') return { kind: 'notSent', reason };
  return { kind: 'refused', reason, facts };
}

/** Whether the client has its answer; otherwise it asks again under the same id. */
export function isSettled(end: CallEnd): boolean {
  if (end.kind === 'unknown' || end.kind === 'notSent') return false;
  return end.kind !== 'refused' || reasonRow(end.reason)?.memory !== 'free';
}
