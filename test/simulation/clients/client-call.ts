/** From what a plan asks for to a call of the gateway's API, and from what came back to its end. */
import { reasonRow } from '../../../src/domain/reasons.ts';
import { Failure } from '../../../src/kernel/failure.ts';
import type { CallFrame, RoomApi } from '../../../src/ports/room-api.ts';
import type { RoomReadApi } from '../../../src/ports/room-read-api.ts';
import type { RtcEvents } from '../../../src/ports/rtc-events.ts';
import type { CallAsk, CallEnd } from '../observations.ts';
import { readOwner } from './read-owner.ts';

/** Name of a room, the same in each app. */
export function roomIdOf(room: number): string {
  return `r${room + 1}`;
}

/** Makes the call; throws what the API throws. */
export async function invoke(
  api: RoomApi & RtcEvents & RoomReadApi,
  frame: CallFrame,
  ask: CallAsk,
): Promise<CallEnd> {
  switch (ask.kind) {
    case 'command': {
      const { result, replayed, view } = await api.execute(frame, ask.meta, ask.request);
      return { kind: 'ok', result, replayed, view };
    }
    case 'heartbeat':
      await api.heartbeat(frame, ask.meta);
      return { kind: 'heartbeatTaken' };
    case 'micHeartbeat':
      await api.micHeartbeat(frame, ask.meta, ask);
      return { kind: 'heartbeatTaken' };
    case 'rtcEvent':
      await api.applyRtcEvent(ask.event);
      return { kind: 'rtcTaken' };
    case 'getCommand':
      return { kind: 'lookup', lookup: await api.getCommand(frame, ask) };
    case 'getRoomSnapshot':
      return { kind: 'snapshot', view: await api.getRoomSnapshot(frame, ask) };
    case 'readOwner':
      return readOwner(api, frame, ask);
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
