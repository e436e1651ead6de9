/**
 * Crowds: rooms full of people who say now and then that they are there, each with a token of its own
 * and over connections that many share. They join through the API like everybody.
 */
import { RoomMode } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { crowdApp, crowdTimeoutMs, type CrowdCalls } from './crowd-calls.ts';

/** How many rooms, and how many people in each. */
export interface CrowdSize {
  readonly rooms: number;
  readonly usersPerRoom: number;
}

/** One person in one room. */
interface Person {
  readonly roomId: string;
  readonly token: string;
}

/** Joins of one room under way at once: below the gateway's window for one room. */
const joinsPerRoom = 48;
/** And of all rooms: a join asks MySQL, for whose connections two hundred may wait. */
const joinsMax = 96;
/** A machine that stands still for a while must not cost the run. */
const joinTriesMax = 10;
/** Of every room. */
const seatCount = 20;

/** See the file header. */
export class Crowd {
  readonly size: CrowdSize;
  readonly calls: CrowdCalls;
  private readonly people: Person[] = [];

  constructor(size: CrowdSize, calls: CrowdCalls) {
    this.size = size;
    this.calls = calls;
  }

  get count(): number {
    return this.people.length;
  }

  /** Creates the rooms and lets everybody join; answers how many joined a second. */
  async fill(): Promise<number> {
    const { rooms, usersPerRoom } = this.size;
    await this.createRooms();
    // Room by room in turn, so that beats in the order of this list are spread over all of them.
    for (let at = 0; at < rooms * usersPerRoom; at += 1) {
      const token = await this.calls.token(userName(at));
      this.people.push({ roomId: crowdRoom(at % rooms), token });
    }
    const startedMs = performance.now();
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < this.people.length) {
        const at = next;
        next += 1;
        await this.joinAtLast(at);
      }
    };
    const lanes = Math.min(rooms * joinsPerRoom, joinsMax);
    await Promise.all(Array.from({ length: lanes }, lane));
    return Math.round((this.people.length / (performance.now() - startedMs)) * 1_000);
  }

  /** The sign of life of the person whose turn it is; false: it was not taken. */
  beat(turn: number): Promise<boolean> {
    const { roomId, token } = this.person(turn);
    const request = { meta: { appCode: crowdApp, roomId } };
    const call = { timeoutMs: crowdTimeoutMs, token };
    return this.calls.noted(() => this.calls.of(turn).roomHeartbeat(request, call));
  }

  private async createRooms(): Promise<void> {
    const token = await this.calls.token('host');
    for (let room = 0; room < this.size.rooms; room += 1) {
      const meta = this.calls.meta(crowdRoom(room));
      await this.calls
        .of(room)
        .createRoom(
          { meta, title: 'crowd', seatCount, mode: RoomMode.FREE, visibleRegionId: 1n },
          { timeoutMs: crowdTimeoutMs, token },
        );
    }
  }

  /** A join without an answer is asked again under its id: nobody may be missing or counted twice. */
  private async joinAtLast(at: number): Promise<void> {
    const { roomId, token } = this.person(at);
    const request = { meta: this.calls.meta(roomId), profile: { nickname: userName(at) } };
    const call = { timeoutMs: crowdTimeoutMs, token };
    for (let tries = 0; tries < joinTriesMax; tries += 1) {
      if (await this.calls.sent(() => this.calls.of(at).joinRoom(request, call))) return;
    }
    throw new Error(`somebody could not join: ${this.calls.told()}`);
  }

  private person(turn: number): Person {
    const person = this.people[turn % this.people.length];
    if (person === undefined) throw new Error('there is nobody');
    return person;
  }
}

/** The name of one of the rooms. */
export function crowdRoom(room: number): string {
  return `crowd-${room}`;
}

function userName(at: number): string {
  return `person-${at}`;
}
