/**
 * Who asks the owners of rooms: clients behind their own commands, and one reader per app at times of
 * its own. From a generator of its own, so that the rest of a workload stays what it is.
 */
import { SimRandom } from '../kernel/sim-random.ts';
import { appCodes } from './config-of.ts';
import { isCommand, type ReadAsk } from './planned-ask.ts';
import type { PlannedCall, PlannedClient, Workload } from './planned-call.ts';
import { warmUpMs, type SimOptions } from './sim-options.ts';

/** Lists are asked for in short pages, so that most have more than one. */
const sizes = [1, 2, 100] as const;
const questions = {
  guard: 4,
  view: 3,
  audience: 3,
  bans: 1,
  micRequests: 1,
  giftRank: 1,
} as const;

/** What can be asked of an owner. */
export const readQuestions = Object.keys(questions) as readonly ReadAsk['question'][];

/** The workload with its questions; numbers of calls go on behind those that there are. */
export function withReads(options: SimOptions, workload: Workload): Workload {
  if (options.reads === undefined) return workload;
  const random = new SimRandom(options.seed, 'owner reads');
  const { behind } = options.reads;
  const of = { random, clients: workload.clients.length };
  let nth = Math.max(0, ...workload.calls.map((call) => call.nth));
  const calls = workload.calls.flatMap((call) => {
    const isLone = !isCommand(call.ask) || call.moment !== undefined;
    if (isLone || !random.chance(behind)) return [call];
    nth += 1;
    const ask = questionAbout(of, call.ask.room);
    return [call, { ...call, ...plainRead, nth, role: 'user' as const, ask }];
  });
  const readers = readersOf(options);
  const asked = readers.flatMap((_, at) =>
    Array.from({ length: options.reads?.spread ?? 0 }, (): PlannedCall => {
      nth += 1;
      const ask = questionAbout(of, random.below(options.rooms));
      const role = random.weighted({ user: 1, service: 4, operator: 1 });
      const atMs = Math.round(warmUpMs / 2 + random.fraction() * options.stormMs);
      const [gateway, client] = [random.below(options.gateways), of.clients + at];
      return { ...plainRead, nth, client, atMs, gateway, role, ttlMs: 0, ask };
    }).sort((one, other) => one.atMs - other.atMs),
  );
  return { clients: [...workload.clients, ...readers], calls: [...calls, ...asked] };
}

/** What questions have in common: nobody comes back for one. */
const plainRead = {
  givesUp: false,
  isForgotten: false,
  repeatOf: null,
  otherPayload: false,
} as const;

function readersOf({ apps }: SimOptions): readonly PlannedClient[] {
  return appCodes.slice(0, apps).map((appCode) => ({ appCode, userId: 'reader' }));
}

function questionAbout(
  { random, clients }: { readonly random: SimRandom; readonly clients: number },
  room: number,
): ReadAsk {
  const question = random.weighted(questions);
  return {
    type: 'ReadOwner',
    room,
    question,
    size: random.pick(sizes),
    target: random.below(clients),
  };
}
