/**
 * What a simulated run shows to those who judge it, one observation per thing that became true, in
 * the order in which it did. The world reports, checkers listen; neither knows the other.
 */
import type { CommandRequest, RequestMeta } from '../../src/ports/room-api.ts';
import type { CommandLookup } from '../../src/ports/room-api.ts';
import type { RtcUserEvent } from '../../src/ports/rtc-events.ts';
import type { RoomWatchMessage } from '../../src/ports/room-read-api.ts';
import type { RoomView } from '../../src/domain/room/room-view.ts';
import type { OwnerAnswer } from '../../src/ports/owner-reads.ts';
import type { ResultRecord } from '../../src/protocol/records.ts';

/** One call of a client, as it left the client. */
export interface SentCall {
  /** Unique in the run, ascending by time of sending. */
  readonly callId: number;
  /** Name of the client: its calls follow one another. */
  readonly client: string;
  /** Name of the gateway pod that took it. */
  readonly gateway: string;
  readonly sentAtMs: number;
  readonly ask: CallAsk;
}

/** What a call asks for. */
export type CallAsk =
  | {
      readonly kind: 'command';
      readonly meta: RequestMeta;
      readonly role: 'user' | 'service' | 'operator';
      readonly request: CommandRequest;
      /** How long the client was willing to wait. */
      readonly ttlMs: number;
    }
  | { readonly kind: 'heartbeat'; readonly meta: RequestMeta }
  | { readonly kind: 'rtcEvent'; readonly event: RtcUserEvent }
  | {
      readonly kind: 'micHeartbeat';
      readonly meta: RequestMeta;
      readonly micSessionId: string;
      readonly publishing: boolean;
    }
  | {
      readonly kind: 'getCommand';
      readonly appCode: string;
      readonly roomId: string;
      readonly commandId: string;
    }
  | { readonly kind: 'getRoomSnapshot'; readonly appCode: string; readonly roomId: string }
  | {
      readonly kind: 'readOwner';
      readonly appCode: string;
      readonly roomId: string;
      /** Who asks; '' beside a role above the room. */
      readonly role: 'user' | 'service' | 'operator';
      readonly userId: string;
      readonly question: ReadQuestion;
    };

/** What a client asks of a room's owner; of a list, its first page. */
export type ReadQuestion =
  | { readonly kind: 'view' | 'micRequests' }
  | { readonly kind: 'guard'; readonly userId: string }
  | { readonly kind: 'audience' | 'bans'; readonly pageSize: number }
  | { readonly kind: 'giftRank'; readonly places: number };

/** What a client is answered; of the guard, whether the user may be there. */
export type ReadAnswer =
  | Exclude<OwnerAnswer, { kind: 'guard' }>
  | Pick<Extract<OwnerAnswer, { kind: 'guard' }>, 'kind' | 'refusal'>;

/** How a call ended for its client. */
export type CallEnd =
  /** A decoded answer that the command was applied or had no effect. */
  | {
      readonly kind: 'ok';
      readonly result: ResultRecord;
      readonly replayed: boolean;
      readonly view: RoomView | null;
    }
  /** A decoded final refusal by the room's rules, or one that leaves the id free: `reason` says. */
  | { readonly kind: 'refused'; readonly reason: string; readonly facts: object }
  /** The client cannot know: a deadline, a cut connection, a killed gateway. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** Certainly not executed: nothing was produced. */
  | { readonly kind: 'notSent'; readonly reason: string }
  | { readonly kind: 'lookup'; readonly lookup: CommandLookup }
  | { readonly kind: 'snapshot'; readonly view: RoomView }
  | {
      readonly kind: 'read';
      readonly version: bigint;
      /** Told by the guard alone. */
      readonly ownerEpoch: bigint | null;
      readonly answer: ReadAnswer;
    }
  | { readonly kind: 'heartbeatTaken' }
  /** Certain to be in the log, or none of ours. */
  | { readonly kind: 'rtcTaken' };

/** One stream of a watched room, as a client asked for it. */
export interface AskedWatch {
  /** Unique in the run, ascending by time of asking. */
  readonly watchId: number;
  /** Name of the watcher: its streams follow one another. */
  readonly client: string;
  /** Name of the gateway pod that serves it. */
  readonly gateway: string;
  readonly appCode: string;
  readonly roomId: string;
  /** Who asks; '' beside a role above the room. */
  readonly role: 'user' | 'service' | 'operator';
  readonly userId: string;
  /** The last version that the watcher was told; 0: none. */
  readonly afterVersion: bigint;
}

/** How a stream ended for its client. */
export type WatchStop =
  /** The gateway has ended it; what it had to say came as a message. */
  | { readonly kind: 'over' }
  /** Connection refused, or ended with the gateway's process. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'failed'; readonly reason: string };

/** See the file header. Times are the world's true time, in virtual milliseconds. */
export type Observation =
  | { readonly kind: 'sent'; readonly atMs: number; readonly call: SentCall }
  | {
      readonly kind: 'answered';
      readonly atMs: number;
      readonly call: SentCall;
      readonly end: CallEnd;
    }
  | { readonly kind: 'watchAsked'; readonly atMs: number; readonly watch: AskedWatch }
  | {
      readonly kind: 'watchTold';
      readonly atMs: number;
      readonly watch: AskedWatch;
      readonly message: RoomWatchMessage;
    }
  | {
      readonly kind: 'watchStopped';
      readonly atMs: number;
      readonly watch: AskedWatch;
      readonly stop: WatchStop;
    }
  /** A process asks RTC to put a user out of a room's audio; the call leaves it now. */
  | {
      readonly kind: 'putOut';
      readonly atMs: number;
      readonly pod: string;
      readonly appCode: string;
      readonly roomId: string;
      readonly userId: string;
    }
  /** A user's client enters a room's audio. */
  | {
      readonly kind: 'rtcEntered';
      readonly atMs: number;
      readonly appCode: string;
      readonly roomId: string;
      readonly userId: string;
    }
  /** A process asks for the right to copy rooms of an app into the list's copy; `call` is its number. */
  | {
      readonly kind: 'stampAsked';
      readonly atMs: number;
      readonly appCode: string;
      readonly call: number;
    }
  /** It has that right, and its name. */
  | {
      readonly kind: 'stamped';
      readonly atMs: number;
      readonly call: number;
      readonly stamp: string;
    }
  /** Rooms were written into the copy under a stamp. */
  | {
      readonly kind: 'listCopied';
      readonly atMs: number;
      readonly appCode: string;
      readonly stamp: string;
      readonly roomIds: readonly string[];
    }
  /** The tables changed by one transaction or autocommitted statement. */
  | { readonly kind: 'committed'; readonly atMs: number }
  /** A stand-in took (and keeps) a message; the same event may arrive again. */
  | {
      readonly kind: 'arrived';
      readonly atMs: number;
      readonly destination: 'im' | 'activity';
      readonly appCode: string;
      readonly roomId: string;
      readonly eventId: string;
      readonly bytes: Uint8Array;
    }
  /** A cell gives something to be shown to its display lane. */
  | {
      readonly kind: 'displayOffered';
      readonly atMs: number;
      readonly pod: string;
      readonly incarnation: string;
      readonly value: Uint8Array;
    }
  /** A record was appended to a topic of the log. */
  | {
      readonly kind: 'appended';
      readonly atMs: number;
      readonly topic: string;
      readonly partition: number;
      readonly offset: bigint;
      readonly value: Uint8Array | null;
      /** The record's headers as texts; without them refusals are judged more mildly. */
      readonly headers?: Readonly<Record<string, string>>;
      /** Time that the log gave it. Default: `atMs`. */
      readonly recordTimeMs?: number;
    }
  | {
      readonly kind: 'pod';
      readonly atMs: number;
      readonly pod: string;
      readonly incarnation: string;
      readonly what: 'started' | 'killed' | 'frozen' | 'thawed' | 'draining' | 'ended';
    }
  | { readonly kind: 'fault'; readonly atMs: number; readonly text: string }
  | {
      readonly kind: 'phase';
      readonly atMs: number;
      readonly phase: 'warmUp' | 'storm' | 'heal' | 'settle' | 'check';
    };
