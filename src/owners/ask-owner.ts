/**
 * Puts a question about one room to the room's owner. Reads may be repeated, so a node that is gone,
 * or no longer the owner, costs a fresh look at the owner rows and another try: a few of them, within
 * the caller's time. Then the caller is told, and asks again itself.
 */
import { roomKeyOf } from '../domain/ids.ts';
import type { AppCode, RoomId } from '../domain/ids.ts';
import { refusal } from '../domain/refusal.ts';
import { Failure } from '../kernel/failure.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  OwnerAnswer,
  OwnerQuestion,
  OwnerReadsPeers,
  OwnerReply,
  ReadAsker,
  ReadCall,
} from '../ports/owner-reads.ts';
import type { PartitionStore } from '../ports/partition-store.ts';
import type { Timers } from '../ports/timers.ts';
import { partitionOf } from '../protocol/partition.ts';
import { OwnerMap } from './owner-map.ts';

/** Tries of one question, and the pauses between them. */
const pausesMs: readonly number[] = [50, 200];
/** A row of that age is good enough for the first try. */
export const ownerRowFreshMs = 1_000;
/** Failures after which another node, or the same one a moment later, may answer. */
const worthATry: readonly string[] = ['NOT_OWNER', 'DRAINING', 'UNAVAILABLE'];

/** What asking stands on. */
export interface AskOwnerPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly partitionStore: Pick<PartitionStore, 'readOwners'>;
  readonly peers: OwnerReadsPeers;
}

/** One question; the place is checked already. */
export interface Asked<Kind extends OwnerQuestion['kind']> {
  readonly appCode: string;
  readonly roomId: string;
  readonly asker: ReadAsker;
  readonly question: Extract<OwnerQuestion, { kind: Kind }>;
}

/** An answer to a question of this kind. */
export interface Answered<Kind extends OwnerAnswer['kind']> extends OwnerReply {
  readonly answer: Extract<OwnerAnswer, { kind: Kind }>;
}

/** Throws what the owner throws (`owner-reads.ts`), or NOT_OWNER while the room has none. */
export type AskOwner = <Kind extends OwnerQuestion['kind']>(
  call: ReadCall,
  asked: Asked<Kind>,
) => Promise<Answered<Kind>>;

/** See the file header. `partitionCount`: of the layout stored in MySQL. */
export function createAskOwner(ports: AskOwnerPorts, partitionCount: number): AskOwner {
  const owners = new OwnerMap(ports);
  const { clock, timers, peers } = ports;
  return async <Kind extends OwnerQuestion['kind']>(call: ReadCall, asked: Asked<Kind>) => {
    const untilMonoMs = clock.monoMs() + call.withinMs;
    const { asker, question } = asked;
    const roomKey = roomKeyOf(asked.appCode as AppCode, asked.roomId as RoomId);
    const partition = partitionOf(roomKey, partitionCount);
    const read = { roomKey, asker, question, forwardedBy: '' };

    const once = async (sinceMonoMs: number, isLast: boolean): Promise<OwnerReply> => {
      const address = await owners.addressOf(partition, sinceMonoMs);
      if (address === null) throw refusal('NOT_OWNER');
      // A node that is frozen, or gone without a word, must leave time to ask its successor.
      const leftMs = untilMonoMs - clock.monoMs();
      const withinMs = isLast ? leftMs : leftMs / 2;
      return peers.at(address).read(read, { withinMs, signal: call.signal });
    };

    let sinceMonoMs = clock.monoMs() - ownerRowFreshMs;
    for (const pauseMs of [...pausesMs, null]) {
      try {
        return answerTo<Kind>(question.kind, await once(sinceMonoMs, pauseMs === null));
      } catch (error) {
        const leftMs = untilMonoMs - clock.monoMs() - (pauseMs ?? 0);
        if (pauseMs === null || leftMs <= 0 || !mayPass(error) || call.signal.aborted) throw error;
        await timers.sleep(pauseMs, call.signal);
        // Rows that were asked for before the failure led to it.
        sinceMonoMs = clock.monoMs();
      }
    }
    throw refusal('UNAVAILABLE');
  };
}

/** Whether another node, or the same one a moment later, may answer. */
export function mayPass(error: unknown): boolean {
  return error instanceof Failure && worthATry.includes(error.reason);
}

function answerTo<Kind extends OwnerQuestion['kind']>(
  kind: Kind,
  reply: OwnerReply,
): Answered<Kind> {
  // A node that answers something else speaks another release's language.
  if (reply.answer.kind !== kind) throw refusal('INTERNAL');
  return reply as Answered<Kind>;
}
