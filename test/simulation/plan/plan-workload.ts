/**
 * Draws the calls of a run: mostly what a small model holds for legal, some of it not, one in five a
 * repeat of an older id, and a few of those with another payload.
 */
import { SimRandom } from '../kernel/sim-random.ts';
import { appCodes, giftIds } from './config-of.ts';
import type { AskType, PlannedAsk, PlannedCall, PlannedClient, Workload } from './planned-call.ts';
import { quietPair } from './quiet-pair.ts';
import { absentRoom, type RoomModel } from './room-model.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

const repeatShare = 0.2;
const otherPayloadShare = 0.02;
const wildShare = 0.1;
const giveUpShare = 0.15;
const lockedShare = 0.15;
const absentTargetShare = 0.3;
const password = 'sesame';
/** Longer than any fault keeps a command from its cell. */
const patientMs = 10_000;

/** How often each kind is asked of a room that exists and has the client in it. */
export const askWeights: Readonly<Record<AskType, number>> = {
  CreateRoom: 1,
  JoinRoom: 10,
  LeaveRoom: 7,
  MicUp: 16,
  MicDown: 8,
  ConfirmMicPublishing: 8,
  CloseRoom: 0.6,
  SendGift: 22,
  RoomHeartbeat: 6,
  GetRoomSnapshot: 4,
  GetCommand: 4,
};

/** The workload of a seed. */
export function planWorkload(options: SimOptions): Workload {
  return new Planner(options).plan();
}

class Planner {
  private readonly options: SimOptions;
  private readonly random: SimRandom;
  private readonly clients: PlannedClient[];
  private readonly calls: PlannedCall[] = [];
  /** By app and room. */
  private readonly rooms = new Map<string, RoomModel>();

  constructor(options: SimOptions) {
    this.options = options;
    this.random = new SimRandom(options.seed, 'workload');
    this.clients = Array.from({ length: options.users }, (_, at) => ({
      appCode: appCodes[at % options.apps] ?? 'app1',
      userId: `u${at + 1}`,
    }));
  }

  plan(): Workload {
    const { random, clients, options } = this;
    const count = random.between(40, 160);
    const meanPauseMs = options.stormMs / count;
    let atMs = warmUpMs / 2;
    for (let nth = 1; nth <= count; nth += 1) {
      // Bursts as well as silences.
      atMs += random.chance(0.4) ? random.below(3) : random.fraction() * 3 * meanPauseMs;
      const last = this.calls.at(-1);
      const isLook =
        last !== undefined && isCommand(last.ask) && random.chance(options.pressure.looks);
      const call = isLook
        ? lookBehind(last, nth)
        : this.call(nth, random.below(clients.length), Math.round(atMs));
      this.calls.push(call);
    }
    if (!options.aimed.includes('staleReader')) return { clients, calls: this.calls };
    const pair = quietPair(options, clients.length, count);
    return { clients: [...clients, ...pair.clients], calls: [...this.calls, ...pair.calls] };
  }

  private call(nth: number, client: number, atMs: number): PlannedCall {
    const { random } = this;
    const { pressure } = this.options;
    const own = this.calls.filter((call) => call.client === client && isCommand(call.ask));
    const isRepeat = own.length > 0 && random.chance(repeatShare);
    const earlier = isRepeat ? random.pick(own) : null;
    const otherPayload = earlier !== null && random.chance(otherPayloadShare / repeatShare);
    const ask =
      earlier === null
        ? this.ask(client, nth)
        : otherPayload
          ? this.wild(earlier.ask.room, nth, 'command')
          : earlier.ask;
    return {
      nth,
      client,
      atMs,
      gateway: random.below(this.options.gateways),
      role: earlier !== null && !otherPayload ? earlier.role : this.roleFor(ask),
      ttlMs: random.chance(pressure.patient) ? patientMs : random.pick([800, 2_000, 3_000, 5_000]),
      givesUp: random.chance(giveUpShare),
      isForgotten: random.chance(pressure.forgotten),
      ask,
      repeatOf: earlier === null ? null : (earlier.repeatOf ?? earlier.nth),
      otherPayload,
    };
  }

  private roleFor(ask: PlannedAsk): PlannedCall['role'] {
    if (ask.type !== 'CloseRoom' && ask.type !== 'MicDown') return 'user';
    return this.random.weighted({ user: 6, service: 2, operator: 2 });
  }

  private ask(client: number, nth: number): PlannedAsk {
    const { random } = this;
    const { rooms, pressure } = this.options;
    const room = random.chance(pressure.hotRoom) ? 0 : random.below(rooms);
    if (random.chance(wildShare)) return this.wild(room, nth, 'any');
    const model = this.model(client, room);
    if (!model.isCreated) return this.create(client, room, model);
    if (!model.members.has(client) && random.chance(0.8)) return this.join(client, room, model);
    return this.legal(random.weighted(askWeights), client, room, nth, model);
  }

  private legal(
    type: AskType,
    client: number,
    room: number,
    nth: number,
    model: RoomModel,
  ): PlannedAsk {
    const { random } = this;
    switch (type) {
      case 'LeaveRoom':
        model.members.delete(client);
        model.onSeat.delete(client);
        return { type, room };
      case 'MicUp':
        model.onSeat.add(client);
        return { type, room, seatNo: random.below(model.seatCount + 1) };
      case 'MicDown':
        model.onSeat.delete(client);
        return { type, room, target: null, session: random.pick(['newest', 'none']) };
      case 'ConfirmMicPublishing':
        if (!model.onSeat.has(client)) return { type: 'MicUp', room, seatNo: 0 };
        return { type, room, session: 'newest' };
      case 'CloseRoom':
        model.isClosed = true;
        return { type, room, reason: 'over' };
      case 'SendGift':
        return this.gift(client, room, model);
      case 'CreateRoom':
      case 'JoinRoom':
        return this.join(client, room, model);
      case 'RoomHeartbeat':
      case 'GetRoomSnapshot':
        return { type, room };
      case 'GetCommand':
        return { type, room, of: Math.max(1, nth - 1 - random.below(10)) };
    }
  }

  /** In a ring: each gives to the next of its app who is there, and now and then to several. */
  private gift(client: number, room: number, model: RoomModel): PlannedAsk {
    const { random } = this;
    const inRing = (client + this.options.apps) % this.clients.length;
    const present = [...model.members].filter((member) => member !== client);
    const isPresent = model.members.has(inRing) || present.length === 0;
    const next = isPresent || random.chance(absentTargetShare) ? inRing : random.pick(present);
    const others = [...model.members].filter((member) => member !== client && member !== next);
    const more = random.chance(0.2) ? others.slice(0, 2) : [];
    const giftCount = random.between(1, 3);
    return {
      type: 'SendGift',
      room,
      giftId: random.pick(giftIds),
      giftCount,
      targets: [next, ...more],
    };
  }

  private create(client: number, room: number, model: RoomModel): PlannedAsk {
    const { random } = this;
    model.isCreated = true;
    model.owner = client;
    model.seatCount = random.between(1, 8);
    model.password = random.chance(lockedShare) ? password : '';
    return { type: 'CreateRoom', room, seatCount: model.seatCount, password: model.password };
  }

  private join(client: number, room: number, model: RoomModel): PlannedAsk {
    model.members.add(client);
    const given = this.random.chance(0.9) ? model.password : 'wrong';
    return { type: 'JoinRoom', room, password: given, isRobot: false };
  }

  /** Anything, whatever the room is like. */
  private wild(room: number, nth: number, kind: 'any' | 'command'): PlannedAsk {
    const { random, clients } = this;
    const types = (Object.keys(askWeights) as AskType[]).filter(
      (type) => (kind === 'any' || isCommandType(type)) && type !== 'CloseRoom',
    );
    const type = random.pick(types);
    const session = random.pick(['newest', 'older', 'invented', 'none'] as const);
    switch (type) {
      case 'CreateRoom':
        return { type, room, seatCount: random.between(1, 20), password: '' };
      case 'JoinRoom':
        return { type, room, password: random.pick(['', password]), isRobot: random.chance(0.2) };
      case 'MicUp':
        return { type, room, seatNo: random.below(25) };
      case 'MicDown':
        return { type, room, target: random.below(clients.length), session };
      case 'ConfirmMicPublishing':
        return { type, room, session: session === 'none' ? 'invented' : session };
      case 'CloseRoom':
        return { type, room, reason: 'wild' };
      case 'SendGift': {
        const targets = [random.below(clients.length)];
        const giftId = random.pick([...giftIds, 'unknown']);
        return { type, room, giftId, giftCount: random.between(1, 9), targets };
      }
      case 'LeaveRoom':
      case 'RoomHeartbeat':
      case 'GetRoomSnapshot':
        return { type, room };
      case 'GetCommand':
        return { type, room, of: random.between(1, nth) };
    }
  }

  private model(client: number, room: number): RoomModel {
    const key = `${this.clients[client]?.appCode}/${room}`;
    const model = this.rooms.get(key) ?? absentRoom();
    this.rooms.set(key, model);
    return model;
  }
}

/** The client of a command looks at its room as soon as it has its answer. */
function lookBehind(command: PlannedCall, nth: number): PlannedCall {
  const ask = { type: 'GetRoomSnapshot', room: command.ask.room } as const;
  return { ...command, nth, role: 'user', ask, repeatOf: null, otherPayload: false };
}

function isCommandType(type: AskType): boolean {
  return type !== 'RoomHeartbeat' && type !== 'GetRoomSnapshot' && type !== 'GetCommand';
}

function isCommand(ask: PlannedAsk): boolean {
  return isCommandType(ask.type);
}
