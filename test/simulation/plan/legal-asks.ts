/**
 * Asks that a room could grant, by what the planner believes of it. Each changes the model as if it
 * were granted.
 */
import type { SimRandom } from '../kernel/sim-random.ts';
import { giftIds } from './config-of.ts';
import type { AskType, PlannedAsk } from './planned-ask.ts';
import { gone, type RoomModel } from './room-model.ts';

const lockedShare = 0.15;
const applyShare = 0.25;
const absentTargetShare = 0.3;
const password = 'sesame';

/** Where an ask is made: who asks, in which room, and what stands around. */
export interface AskPlace {
  readonly random: SimRandom;
  readonly client: number;
  readonly room: number;
  /** Number of the call. */
  readonly nth: number;
  readonly model: RoomModel;
  /** Clients of the run, and its apps: every so manieth client is of the same app. */
  readonly clients: number;
  readonly apps: number;
}

type AsksOf = { readonly [Type in AskType]: (place: AskPlace) => PlannedAsk };

/** The ask of each kind. */
export const legalAsks: AsksOf = {
  CreateRoom: (place) => joinAsk(place),
  JoinRoom: (place) => joinAsk(place),
  LeaveRoom: ({ client, room, model }) => {
    gone(model, client);
    return { type: 'LeaveRoom', room };
  },
  UpdateUser: ({ room, nth }) => ({ type: 'UpdateUser', room, nickname: `n${nth % 3}` }),
  KickUser: (place) => {
    const target = somebody(place, place.model.members);
    gone(place.model, target);
    place.model.admins.delete(target);
    place.model.banned.add(target);
    const forMs = place.random.pick([0, 0, 1_500, 6_000]);
    return { type: 'KickUser', room: place.room, target, forMs };
  },
  UnbanUser: (place) => {
    if (place.model.banned.size === 0) return legalAsks.RoomHeartbeat(place);
    const target = somebody(place, place.model.banned);
    place.model.banned.delete(target);
    return { type: 'UnbanUser', room: place.room, target };
  },
  EvictUser: (place) => {
    const target = somebody(place, place.model.members);
    gone(place.model, target);
    return { type: 'EvictUser', room: place.room, target };
  },
  MicUp: (place) => {
    const { random, client, room, model } = place;
    if (model.mode === 'apply' && !isManager(place)) return legalAsks.ApplyForMic(place);
    model.onSeat.add(client);
    model.asked.delete(client);
    return { type: 'MicUp', room, seatNo: random.below(model.seatCount + 1) };
  },
  MicDown: ({ random, client, room, model }) => {
    model.onSeat.delete(client);
    return { type: 'MicDown', room, target: null, session: random.pick(['newest', 'none']) };
  },
  ChangeMicSeat: (place) => {
    const { random, client, room, model } = place;
    if (!model.onSeat.has(client)) return legalAsks.MicUp(place);
    return { type: 'ChangeMicSeat', room, seatNo: random.below(model.seatCount + 1) };
  },
  ConfirmMicPublishing: ({ client, room, model }) => {
    if (!model.onSeat.has(client)) return { type: 'MicUp', room, seatNo: 0 };
    return { type: 'ConfirmMicPublishing', room, session: 'newest' };
  },
  SetMicSeatLock: ({ random, room, model }) => {
    const locked = random.chance(0.5);
    return { type: 'SetMicSeatLock', room, seatNo: seatOf(random, model), locked };
  },
  SetMicSeatMute: ({ random, room, model }) => {
    const muted = random.chance(0.6);
    return { type: 'SetMicSeatMute', room, seatNo: seatOf(random, model), muted };
  },
  InviteToMic: (place) => {
    const target = somebody(place, place.model.members);
    place.model.asked.add(target);
    return { type: 'InviteToMic', room: place.room, target, seatNo: 0 };
  },
  ApplyForMic: (place) => {
    const { random, client, room, model } = place;
    if (model.mode === 'free' || isManager(place)) return legalAsks.MicUp(place);
    model.asked.add(client);
    return { type: 'ApplyForMic', room, seatNo: random.below(model.seatCount + 1) };
  },
  AnswerMicRequest: (place) => {
    const { random, client, room, model } = place;
    if (model.asked.size === 0) return legalAsks.InviteToMic(place);
    const isOwn = model.asked.has(client) && random.chance(0.5);
    const target = isOwn ? null : somebody(place, model.asked);
    const answer = random.chance(0.8) ? 'accepted' : 'declined';
    model.asked.delete(target ?? client);
    if (answer === 'accepted') model.onSeat.add(target ?? client);
    return { type: 'AnswerMicRequest', room, target, answer };
  },
  UpdateRoomProfile: ({ random, room, nth }) => ({
    type: 'UpdateRoomProfile',
    room,
    title: random.chance(0.5) ? `a room ${nth % 4}` : null,
    announcement: random.pick([null, '', 'be kind']),
    tags: random.pick([null, null, [], ['sim', 'talk']]),
  }),
  SetSeatCount: ({ random, room, model }) => {
    model.seatCount = random.between(1, 8);
    return { type: 'SetSeatCount', room, seatCount: model.seatCount };
  },
  SetRoomPassword: ({ random, room, model }) => {
    model.password = random.chance(0.5) ? password : '';
    return { type: 'SetRoomPassword', room, password: model.password };
  },
  SetRoomMode: ({ room, model }) => {
    model.mode = model.mode === 'free' ? 'apply' : 'free';
    return { type: 'SetRoomMode', room, mode: model.mode };
  },
  SetVisibleRegion: ({ random, room }) => ({
    type: 'SetVisibleRegion',
    room,
    region: random.between(1, 3),
  }),
  SetAdmin: (place) => {
    const target = somebody(place, place.model.members);
    const isAdmin = place.random.chance(0.75);
    if (isAdmin) place.model.admins.add(target);
    else place.model.admins.delete(target);
    return { type: 'SetAdmin', room: place.room, target, isAdmin };
  },
  TransferOwner: (place) => {
    const target = somebody(place, place.model.members);
    place.model.owner = target;
    place.model.admins.delete(target);
    return { type: 'TransferOwner', room: place.room, target };
  },
  CloseRoom: ({ room, model }) => {
    model.isClosed = true;
    return { type: 'CloseRoom', room, reason: 'over' };
  },
  DeleteRoom: ({ room, model }) => {
    if (model.isClosed) return { type: 'DeleteRoom', room, reason: 'gone' };
    return { type: 'GetRoomSnapshot', room };
  },
  SendGift: giftAsk,
  RoomHeartbeat: ({ room }) => ({ type: 'RoomHeartbeat', room }),
  MicHeartbeat: ({ client, room, model }) => {
    if (!model.onSeat.has(client)) return { type: 'RoomHeartbeat', room };
    return { type: 'MicHeartbeat', room, session: 'newest' };
  },
  RtcEvent: (place) => {
    const { random, room, model } = place;
    if (model.onSeat.size === 0) return { type: 'RoomHeartbeat', room };
    const event = random.weighted({ audio_started: 5, audio_stopped: 3, room_exited: 2 });
    const target = somebody(place, model.onSeat);
    const ageMs = random.pick([0, 0, 50, 400, 3_000]);
    return { type: 'RtcEvent', room, target, event, ageMs, isTwice: random.chance(0.2) };
  },
  GetRoomSnapshot: ({ room }) => ({ type: 'GetRoomSnapshot', room }),
  GetCommand: ({ random, room, nth }) => ({
    type: 'GetCommand',
    room,
    of: Math.max(1, nth - 1 - random.below(10)),
  }),
};

/** The ask that makes the room. */
export function createAsk({ random, client, room, model }: AskPlace): PlannedAsk {
  model.isCreated = true;
  model.owner = client;
  model.seatCount = random.between(1, 8);
  model.password = random.chance(lockedShare) ? password : '';
  model.mode = random.chance(applyShare) ? 'apply' : 'free';
  const { seatCount, mode } = model;
  return { type: 'CreateRoom', room, seatCount, password: model.password, mode };
}

/** The ask that brings the client in, now and then with a wrong password. */
export function joinAsk({ random, client, room, model }: AskPlace): PlannedAsk {
  model.members.add(client);
  const given = random.chance(0.9) ? model.password : 'wrong';
  return { type: 'JoinRoom', room, password: given, isRobot: false };
}

/** In a ring: each gives to the next of its app who is there, and now and then to several. */
function giftAsk({ random, client, room, model, clients, apps }: AskPlace): PlannedAsk {
  const inRing = (client + apps) % clients;
  const present = [...model.members].filter((member) => member !== client);
  const isPresent = model.members.has(inRing) || present.length === 0;
  const next = isPresent || random.chance(absentTargetShare) ? inRing : random.pick(present);
  const others = [...model.members].filter((member) => member !== client && member !== next);
  const more = random.chance(0.2) ? others.slice(0, 2) : [];
  const giftCount = random.between(1, 3);
  const targets = [next, ...more];
  return { type: 'SendGift', room, giftId: random.pick(giftIds), giftCount, targets };
}

/** One of these clients, or anybody when there is none. */
function somebody({ random, clients }: AskPlace, of: ReadonlySet<number>): number {
  return of.size === 0 ? random.below(clients) : random.pick([...of]);
}

function isManager({ client, model }: AskPlace): boolean {
  return model.owner === client || model.admins.has(client);
}

function seatOf(random: SimRandom, { seatCount }: RoomModel): number {
  return random.between(1, Math.max(1, seatCount));
}
