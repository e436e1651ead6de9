/**
 * People who come to a crowd's rooms, take a seat, confirm it and go: the room commands beside which
 * heartbeats are measured.
 */
import { crowdTimeoutMs } from './crowd-calls.ts';
import { crowdRoom, type Crowd } from './crowd.ts';

/** Fewer than a room has seats, so that nobody meets a full one. */
const visitorsPerRoom = 4;
const stepsPerVisit = 4;

/**
 * The next step of the visitor whose turn it is; visits go on over all calls, and a visitor does one
 * thing after another, however late the last one was answered. Answers whether it was taken.
 */
export async function visitorsOf(crowd: Crowd): Promise<() => Promise<boolean>> {
  const { size, calls } = crowd;
  const count = size.rooms * visitorsPerRoom;
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, who) => calls.token(`visitor-${who}`)),
  );
  const sessions = new Map<number, string>();
  const running = new Map<number, Promise<boolean>>();
  const step = (who: number, at: number): Promise<boolean> => {
    const call = { timeoutMs: crowdTimeoutMs, token: tokens[who] ?? '' };
    const meta = calls.meta(crowdRoom(who % size.rooms));
    return calls.sent(async () => {
      switch (at) {
        case 0:
          return calls.of(who).joinRoom({ meta, profile: { nickname: 'visitor' } }, call);
        case 1: {
          const { micSessionId } = await calls.of(who).micUp({ meta, seatNo: 0 }, call);
          return sessions.set(who, micSessionId);
        }
        case 2: {
          const micSessionId = sessions.get(who) ?? '';
          return calls.of(who).confirmMicPublishing({ meta, micSessionId }, call);
        }
        default:
          return calls.of(who).leaveRoom({ meta }, call);
      }
    });
  };
  let turn = 0;
  return () => {
    const who = turn % count;
    const at = Math.floor(turn / count) % stepsPerVisit;
    turn += 1;
    const after = (running.get(who) ?? Promise.resolve(true)).then(() => step(who, at));
    running.set(who, after);
    return after;
  };
}
