/** Random commands for one room over gRPC, from a seed: most of the rules of a room get their turn. */
import { MicAnswer } from '../../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import {
  RoomMode,
  type CommandMeta,
} from '../../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { GrpcCallError } from '../../../src/drivers/grpc/grpc-client.ts';
import { SimRandom } from '../../simulation/kernel/sim-random.ts';
import { fleetApp, type Fleet, type FleetClient } from './fleet.ts';
import { untilAnswered } from './play.ts';

type Meta = Pick<CommandMeta, 'appCode' | 'roomId' | 'commandId' | 'actorUserId'>;
type Call = { readonly timeoutMs: number; readonly token: string };
type Move = (
  commands: FleetClient['commands'],
  random: SimRandom,
) => (meta: Meta, call: Call) => Promise<unknown>;

/** In the room in the end are some of these; `owner` makes it. */
const users = ['owner', 'u1', 'u2', 'u3', 'u4'];
const password = 'open sesame';
const modes = [RoomMode.FREE, RoomMode.APPLY];
const answers = [MicAnswer.ACCEPTED, MicAnswer.DECLINED];
/** Far enough away not to end within any test. */
const anHourMs = 3_600_000;

/** What an owner does, mostly to others. */
const byOwner: readonly Move[] = [
  (commands, random) => {
    const body = { userId: random.pick(users), reason: 'rude', expiresAtMs: banEnd(random) };
    return (meta, call) => commands.kickUser({ meta, ...body }, call);
  },
  (commands, random) => {
    const userId = random.pick(users);
    return (meta, call) => commands.unbanUser({ meta, userId }, call);
  },
  (commands, random) => {
    const body = { userId: random.pick(users), isAdmin: random.below(2) === 0 };
    return (meta, call) => commands.setAdmin({ meta, ...body }, call);
  },
  (commands, random) => {
    const mode = random.pick(modes);
    return (meta, call) => commands.setRoomMode({ meta, mode }, call);
  },
  (commands, random) => {
    const body = { seatNo: random.between(1, 8), locked: random.below(3) === 0 };
    return (meta, call) => commands.setMicSeatLock({ meta, ...body }, call);
  },
  (commands, random) => {
    const body = { seatNo: random.between(1, 8), muted: random.below(2) === 0 };
    return (meta, call) => commands.setMicSeatMute({ meta, ...body }, call);
  },
  (commands, random) => {
    const body = { title: `Evening ${random.below(9)}`, tags: { tags: ['a', 'b'] } };
    return (meta, call) => commands.updateRoomProfile({ meta, ...body }, call);
  },
  (commands, random) => {
    const body = { userId: random.pick(users), seatNo: 0 };
    return (meta, call) => commands.inviteToMic({ meta, ...body }, call);
  },
  (commands, random) => {
    const body = { userId: random.pick(users), answer: random.pick(answers) };
    return (meta, call) => commands.answerMicRequest({ meta, ...body }, call);
  },
  (commands, random) => {
    const word = random.below(2) === 0 ? password : '';
    return (meta, call) => commands.setRoomPassword({ meta, password: word }, call);
  },
];

/** What anybody does, as far as the room lets it. */
const byAnybody: readonly Move[] = [
  (commands, random) => {
    const profile = { nickname: `n${random.below(9)}` };
    return (meta, call) => commands.joinRoom({ meta, profile, password }, call);
  },
  (commands) => (meta, call) => commands.leaveRoom({ meta }, call),
  (commands, random) => {
    const seatNo = random.below(9);
    return (meta, call) => commands.micUp({ meta, seatNo }, call);
  },
  (commands) => (meta, call) => commands.micDown({ meta, userId: '', micSessionId: '' }, call),
  (commands, random) => {
    const toSeatNo = random.between(1, 8);
    return (meta, call) => commands.changeMicSeat({ meta, toSeatNo }, call);
  },
  (commands) => (meta, call) => commands.applyForMic({ meta, seatNo: 0 }, call),
  (commands) => (meta, call) =>
    commands.answerMicRequest({ meta, userId: '', answer: MicAnswer.ACCEPTED }, call),
  (commands, random) => {
    const profile = { nickname: `m${random.below(9)}` };
    return (meta, call) => commands.updateUser({ meta, profile }, call);
  },
  (commands, random) => {
    const body = { giftId: 'rose', giftCount: random.between(1, 3), comboId: '' };
    const targetUserIds = [random.pick(users)];
    return (meta, call) => commands.sendGift({ meta, ...body, targetUserIds }, call);
  },
];

function banEnd(random: SimRandom): bigint {
  return random.below(2) === 0 ? 0n : BigInt(Date.now() + anHourMs);
}

/**
 * Makes the room, lets everybody in and sends `count` random commands one after another, each until it
 * is answered. Answers how many were applied; a final no is an end like any other. Another seed goes
 * on with the same room.
 */
export async function playAtRandom(
  fleet: Fleet,
  client: FleetClient,
  room: string,
  { seed, count }: { readonly seed: number; readonly count: number },
): Promise<number> {
  const random = new SimRandom(seed, 'random play');
  let applied = 0;
  const send = async (user: string, what: string, move: ReturnType<Move>): Promise<void> => {
    const commandId = `${seed}-${what}`;
    const token = await fleet.token(user);
    const meta = { appCode: fleetApp, roomId: room, commandId, actorUserId: user };
    const call = { timeoutMs: 20_000, token };
    try {
      await untilAnswered(commandId, () => move(meta, call));
      applied += 1;
    } catch (error) {
      if (!(error instanceof GrpcCallError)) throw error;
    }
  };
  const { commands } = client;
  await send('owner', 'create', (meta, call) =>
    commands.createRoom({ meta, title: room, seatCount: 8, mode: RoomMode.FREE }, call),
  );
  const [join] = byAnybody as readonly [Move];
  for (const user of users) await send(user, `in-${user}`, join(commands, random));
  for (let at = 0; at < count; at += 1) {
    const isOwners = random.below(3) === 0;
    const move = random.pick(isOwners ? byOwner : byAnybody)(commands, random);
    await send(isOwners ? 'owner' : random.pick(users), `random-${at}`, move);
  }
  return applied;
}
