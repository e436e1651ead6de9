/**
 * Draws the calls of a run: mostly what a small model holds for legal, some of it not, one in five a
 * repeat of an older id, and a few of those with another payload.
 */
import { SimRandom } from '../kernel/sim-random.ts';
import { appCodes } from './config-of.ts';
import { createAsk, joinAsk, legalAsks } from './legal-asks.ts';
import type { AskPlace } from './legal-asks.ts';
import { isCommand, lightAsks } from './planned-ask.ts';
import type { AskType, PlannedAsk } from './planned-ask.ts';
import type { PlannedCall, PlannedClient, Workload } from './planned-call.ts';
import { withReads } from './plan-reads.ts';
import { withUpgrade } from './plan-upgrade.ts';
import { withWatches } from './plan-watches.ts';
import { quietPair } from './quiet-pair.ts';
import { absentRoom, type RoomModel } from './room-model.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';
import { wildAsk } from './wild-asks.ts';

const repeatShare = 0.2;
const otherPayloadShare = 0.02;
const wildShare = 0.1;
const giveUpShare = 0.15;
/** Of the calls to a closed room, those that delete it. */
const deletedShare = 0.1;
/** Longer than any fault keeps a command from its cell. */
const patientMs = 10_000;

/** How often each kind is asked of a room that exists and has the client in it. */
export const askWeights: Readonly<Record<AskType, number>> = {
  CreateRoom: 1,
  JoinRoom: 10,
  UpdateUser: 2,
  LeaveRoom: 7,
  KickUser: 2.5,
  UnbanUser: 3,
  EvictUser: 1.5,
  MicUp: 16,
  MicDown: 8,
  ChangeMicSeat: 6,
  ConfirmMicPublishing: 8,
  SetMicSeatLock: 2.5,
  SetMicSeatMute: 1.5,
  InviteToMic: 3,
  ApplyForMic: 4,
  AnswerMicRequest: 5,
  UpdateRoomProfile: 2,
  SetSeatCount: 1,
  SetRoomPassword: 1.5,
  SetRoomMode: 1,
  SetVisibleRegion: 1,
  SetAdmin: 4,
  TransferOwner: 0.7,
  CloseRoom: 0.6,
  DeleteRoom: 0.2,
  SendGift: 22,
  RoomHeartbeat: 6,
  MicHeartbeat: 4,
  RtcEvent: 7,
  GetRoomSnapshot: 4,
  GetCommand: 4,
};

const askTypes = Object.keys(askWeights) as AskType[];
const commandTypes = askTypes.filter((type) => !lightAsks.has(type));

/** What a manager of the room does, or somebody above it. */
const managersAsks: ReadonlySet<PlannedAsk['type']> = new Set([
  ...(['CloseRoom', 'DeleteRoom', 'MicDown', 'KickUser', 'UnbanUser', 'SetMicSeatLock'] as const),
  ...(['SetMicSeatMute', 'InviteToMic', 'AnswerMicRequest', 'UpdateRoomProfile'] as const),
  ...(['SetSeatCount', 'SetRoomPassword', 'SetRoomMode', 'SetVisibleRegion'] as const),
  ...(['SetAdmin', 'TransferOwner'] as const),
]);

/** The workload of a seed. */
export function planWorkload(options: SimOptions): Workload {
  return withWatches(options, withUpgrade(options, new Planner(options).plan()));
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
    const count = random.between(80, 260);
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
    const crowd = { clients, calls: this.calls };
    if (!options.aimed.includes('staleReader')) return withReads(options, crowd);
    const pair = quietPair(options, clients.length, count);
    return withReads(options, {
      clients: [...clients, ...pair.clients],
      calls: [...this.calls, ...pair.calls],
    });
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
          ? wildAsk(this.place(client, earlier.ask.room, nth), commandTypes)
          : earlier.ask;
    return {
      nth,
      client,
      atMs,
      gateway: random.below(this.options.gateways),
      role: earlier !== null && !otherPayload ? earlier.role : this.roleFor(ask, client),
      ttlMs: random.chance(pressure.patient) ? patientMs : random.pick([800, 2_000, 3_000, 5_000]),
      givesUp: random.chance(giveUpShare),
      isForgotten: random.chance(pressure.forgotten),
      ask,
      repeatOf: earlier === null ? null : (earlier.repeatOf ?? earlier.nth),
      otherPayload,
    };
  }

  /** Whoever manages nothing asks for a manager's things mostly as the app's backend or an operator. */
  private roleFor(ask: PlannedAsk, client: number): PlannedCall['role'] {
    if (ask.type === 'EvictUser') return 'operator';
    if (!managersAsks.has(ask.type)) return 'user';
    const { owner, admins } = this.model(client, ask.room);
    const isManager = owner === client || admins.has(client);
    return this.random.weighted({ user: isManager ? 8 : 2, service: 2, operator: 2 });
  }

  private ask(client: number, nth: number): PlannedAsk {
    const { random } = this;
    const { rooms, pressure } = this.options;
    const room = random.chance(pressure.hotRoom) ? 0 : random.below(rooms);
    const place = this.place(client, room, nth);
    const { model } = place;
    if (random.chance(wildShare)) return wildAsk(place, askTypes);
    if (!model.isCreated) return createAsk(place);
    if (model.isClosed && random.chance(deletedShare)) return legalAsks.DeleteRoom(place);
    const mayCome = !model.members.has(client) && !model.banned.has(client);
    if (mayCome && random.chance(0.8)) return joinAsk(place);
    return legalAsks[random.weighted(askWeights)](place);
  }

  private place(client: number, room: number, nth: number): AskPlace {
    const { random, clients, options } = this;
    const model = this.model(client, room);
    return { random, client, room, nth, model, clients: clients.length, apps: options.apps };
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
