/** Asks without regard to what the room is like: most are refused, and none may do harm. */
import { giftIds } from './config-of.ts';
import { legalAsks } from './legal-asks.ts';
import type { AskPlace } from './legal-asks.ts';
import type { AskType, PlannedAsk } from './planned-ask.ts';
import { absentRoom } from './room-model.ts';

const password = 'sesame';

/** Never wild: they would end most rooms early. */
const tame: ReadonlySet<AskType> = new Set(['CloseRoom', 'DeleteRoom', 'KickUser', 'EvictUser']);

/** An ask of one of `types`. */
export function wildAsk(place: AskPlace, types: readonly AskType[]): PlannedAsk {
  const { random, room, clients, nth } = place;
  const type = random.pick(types.filter((each) => !tame.has(each)));
  const session = random.pick(['newest', 'older', 'invented', 'none'] as const);
  switch (type) {
    case 'CreateRoom':
      return { type, room, seatCount: random.between(1, 20), password: '', mode: 'free' };
    case 'JoinRoom':
      return { type, room, password: random.pick(['', password]), isRobot: random.chance(0.2) };
    case 'MicUp':
    case 'ChangeMicSeat':
    case 'ApplyForMic':
      return { type, room, seatNo: random.below(25) };
    case 'MicDown':
      return { type, room, target: random.below(clients), session };
    case 'ConfirmMicPublishing':
    case 'MicHeartbeat':
      return { type, room, session: session === 'none' ? 'invented' : session };
    case 'AnswerMicRequest': {
      const target = random.below(clients);
      return { type, room, target, answer: random.pick(['accepted', 'declined']) };
    }
    case 'SendGift': {
      const targets = [random.below(clients)];
      const giftId = random.pick([...giftIds, 'unknown']);
      return { type, room, giftId, giftCount: random.between(1, 9), targets };
    }
    case 'GetCommand':
      return { type, room, of: random.between(1, nth) };
    default:
      // The others are as good as wild in a room of which nothing is known.
      return legalAsks[type]({ ...place, model: { ...absentRoom(), seatCount: 12 } });
  }
}
