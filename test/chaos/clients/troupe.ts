/**
 * A handful of users in a handful of rooms of their own, playing what the simulation plans for such a
 * crowd, by its own clients: legal and wild commands, repeats of old ids, ids used for something else,
 * callers that give up and come back. Names carry the troupe's number, so that troupes never meet.
 */
import { createSystemTimers } from '../../../src/drivers/system/system-timers.ts';
import { commandIdsOf, SimClient, type Sender } from '../../simulation/clients/sim-client.ts';
import { SimRandom } from '../../simulation/kernel/sim-random.ts';
import type { CallAsk, CallEnd } from '../../simulation/observations.ts';
import type { PlannedCall, Workload } from '../../simulation/plan/planned-call.ts';
import { planWorkload } from '../../simulation/plan/plan-workload.ts';
import { optionsOf, type SimOptions } from '../../simulation/plan/sim-options.ts';
import type { PlannedAsk } from '../../simulation/plan/planned-ask.ts';

/** Sends one call through one of the gateways; resolves with its end, whatever happens. */
export type SendCall = (
  from: Sender,
  gateway: number,
  ask: CallAsk,
  role: PlannedCall['role'],
) => Promise<CallEnd>;

/** Time over which a troupe spreads its calls, if answers come at once. */
const showMs = 10_000;
const size = { apps: 1, rooms: 4, users: 8, gateways: 2 };
/** Asked by others than callers of RoomCommands, or judged by the tables of that very moment. */
const notAsked: ReadonlySet<PlannedAsk['type']> = new Set<PlannedAsk['type']>([
  ...(['EvictUser', 'RtcEvent', 'GetCommand', 'ReadOwner'] as const),
]);
const retryPauseMs = { min: 50, more: 250, steps: 8 };

/** See the file header. */
export class Troupe {
  readonly name: string;
  private readonly clients: readonly SimClient[];
  private readonly asks = new Map<number, CallAsk>();

  constructor(appCode: string, seed: number, nth: number, send: SendCall) {
    this.name = `t${nth}`;
    const workload = this.workloadOf(appCode, seed);
    this.clients = this.makeClients(workload, new SimRandom(seed, 'pauses'), send);
  }

  /** Plays to the end; resolves when every command has its answer, which may be long after. */
  async play(): Promise<void> {
    const shows = this.clients.map((client) => client.run());
    const isPlayed = createSystemTimers().sleep(showMs + retryPauseMs.more);
    await Promise.race([isPlayed, ...shows]);
    this.close();
    await Promise.all(shows);
  }

  /** No call is begun any more that is not under way; what has no answer is asked for until it has. */
  close(): void {
    for (const client of this.clients) client.close();
  }

  /** The newest try of a client that is not done; null: all are. */
  get unanswered(): string | null {
    const talking = this.clients.find((client) => !client.done);
    return talking === undefined ? null : `${talking.name}: ${talking.newestTry}`;
  }

  private workloadOf(appCode: string, seed: number): Workload {
    const { clients, calls } = planWorkload(crowdOf(seed));
    return {
      clients: clients.map(({ userId }) => ({ appCode, userId: `${this.name}${userId}` })),
      calls: calls.filter(({ ask }) => !notAsked.has(ask.type)),
    };
  }

  private makeClients(workload: Workload, pauses: SimRandom, send: SendCall): readonly SimClient[] {
    const startedAtMs = performance.now();
    const commandIds = commandIdsOf(workload);
    return workload.clients.map((_, index) => {
      const context = {
        clients: workload.clients,
        timers: createSystemTimers(),
        nowMs: () => performance.now() - startedAtMs,
        wallMs: () => Date.now(),
        send: (from: Sender, gateway: number, ask: CallAsk, role: PlannedCall['role']) =>
          send(from, gateway, this.inOwnRoom(ask), role),
        retryPauseMs: (tries: number) => {
          const { min, more, steps } = retryPauseMs;
          return (min + more * pauses.fraction()) * Math.min(tries + 1, steps);
        },
        commandIdOf: (nth: number) => commandIds.get(nth) ?? `c${nth}`,
        commandOf: (nth: number) => this.asks.get(nth) ?? null,
        remember: (nth: number, ask: CallAsk) => void this.asks.set(nth, ask),
        moment: () => Promise.resolve(),
      };
      return new SimClient(
        context,
        index,
        workload.calls.filter(({ client }) => client === index),
      );
    });
  }

  private inOwnRoom(ask: CallAsk): CallAsk {
    if ('meta' in ask) {
      return { ...ask, meta: { ...ask.meta, roomId: this.roomOf(ask.meta.roomId) } };
    }
    return 'roomId' in ask ? { ...ask, roomId: this.roomOf(ask.roomId) } : ask;
  }

  private roomOf(room: string): string {
    return room === '' ? '' : `${this.name}.${room}`;
  }
}

/** Bursts and repeats as in the simulation; nobody asks owners, and the deployment is up to date. */
function crowdOf(seed: number): SimOptions {
  const { reads: _, upgrade: __, ...options } = optionsOf(seed);
  const pressure = { hotRoom: 0.4, looks: 0.2, forgotten: 0.1, patient: 0.1 };
  return { ...options, ...size, stormMs: showMs, aimed: [], pressure };
}
