/**
 * One client of a run: makes its calls one after another, asks again under the same id as long as it
 * has no answer, and comes back at the end for what it gave up on.
 */
import { createDeferred } from '../../../src/kernel/deferred.ts';
import type { Timers } from '../../../src/ports/timers.ts';
import type { CallAsk, CallEnd } from '../observations.ts';
import type { PlannedAsk, SessionChoice } from '../plan/planned-ask.ts';
import type { PlannedCall, PlannedClient, Workload } from '../plan/planned-call.ts';
import { isSettled, roomIdOf } from './client-call.ts';
import { questionOf } from './read-owner.ts';
import { requestOf } from './request-of.ts';

/** Who calls: the name is the run's, the user the app's. */
export interface Sender {
  readonly name: string;
  readonly userId: string;
}

/** What a client stands on. */
export interface ClientContext {
  readonly clients: readonly PlannedClient[];
  readonly timers: Timers;
  /** Time of the run. */
  nowMs(): number;
  /** The same as a clock on the wall shows it. */
  wallMs(): number;
  /** Sends one call through a gateway; resolves with its end, whatever happens. */
  send(from: Sender, gateway: number, ask: CallAsk, role: PlannedCall['role']): Promise<CallEnd>;
  /** A pause behind so many tries of one call, drawn. */
  retryPauseMs(tries: number): number;
  /** The command id of a call, by its number. */
  commandIdOf(nth: number): string;
  /** The command of a call, for those that look it up; null when it was never sent. */
  commandOf(nth: number): CallAsk | null;
  remember(nth: number, ask: CallAsk): void;
  /** Resolves when an aimed fault has come to its moment for the nth time, if it ever does. */
  moment(nth: number): Promise<void>;
}

/** Tries of a call that the client does not wait for to its end, and of one that only reads. */
const triesMax = 3;

/** See the file header. */
export class SimClient {
  readonly name: string;
  readonly who: PlannedClient;
  private readonly context: ClientContext;
  private readonly calls: readonly PlannedCall[];
  private readonly sessions: string[] = [];
  private readonly unsettled: { readonly call: PlannedCall; readonly ask: CallAsk }[] = [];
  private lastTry = 'nothing';
  private isClosing = false;
  private readonly closing = createDeferred<void>();
  private isDone = false;

  constructor(context: ClientContext, index: number, calls: readonly PlannedCall[]) {
    this.context = context;
    this.who = context.clients[index] as PlannedClient;
    this.name = `${this.who.appCode}/${this.who.userId}`;
    this.calls = calls;
  }

  /** Everything is answered, and nothing new will be asked. */
  get done(): boolean {
    return this.isDone;
  }

  /** The newest try and its end, for a report. */
  get newestTry(): string {
    return this.lastTry;
  }

  /** Begins no call that is not under way; what has no answer is asked for again until it has. */
  close(): void {
    this.isClosing = true;
    this.closing.resolve();
  }

  async run(): Promise<void> {
    for (const call of this.calls) {
      if (this.isClosing) break;
      const earlyMs = call.atMs - this.context.nowMs();
      if (earlyMs > 0) await this.context.timers.sleep(earlyMs);
      if (call.moment !== undefined) {
        await Promise.race([this.context.moment(call.moment), this.closing.promise]);
      }
      if (this.isClosing) break;
      await this.make(call);
    }
    while (!this.isClosing) await this.context.timers.sleep(500);
    for (const { call, ask } of this.unsettled.splice(0)) await this.untilSettled(call, ask);
    this.isDone = true;
  }

  private async make(call: PlannedCall): Promise<void> {
    const ask = this.askOf(call);
    if (ask === null) return;
    if (ask.kind !== 'command') {
      await this.tries(call, ask, ask.kind === 'readOwner' ? 1 : triesMax);
      if (call.ask.type === 'RtcEvent' && call.ask.isTwice) await this.tries(call, ask, 1);
      return;
    }
    this.context.remember(call.nth, ask);
    if (call.isForgotten) await this.tries(call, ask, 1);
    else if (!call.givesUp) await this.untilSettled(call, ask);
    else if (!(await this.tries(call, ask, 1))) this.unsettled.push({ call, ask });
  }

  private async untilSettled(call: PlannedCall, ask: CallAsk): Promise<void> {
    await this.tries(call, ask, Infinity);
  }

  /** Whether it was settled. */
  private async tries(call: PlannedCall, ask: CallAsk, count: number): Promise<boolean> {
    const from = { name: this.name, userId: this.who.userId };
    for (let nth = 0; nth < count; nth += 1) {
      const end = await this.context.send(from, call.gateway + nth, ask, call.role);
      if (end.kind === 'ok') this.learn(end.result.fields);
      const what = ask.kind === 'command' ? ask.request.type : ask.kind;
      this.lastTry = `${what} c${call.nth}: ${textOf(end)}`;
      if (isSettled(end)) return true;
      await this.context.timers.sleep(this.context.retryPauseMs(nth));
    }
    return false;
  }

  private learn(fields: object): void {
    const session = (fields as { readonly micSessionId?: unknown }).micSessionId;
    if (typeof session === 'string' && this.sessions.at(-1) !== session)
      this.sessions.push(session);
  }

  private askOf(call: PlannedCall): CallAsk | null {
    const { ask, repeatOf, otherPayload } = call;
    const earlier = repeatOf === null ? null : this.context.commandOf(repeatOf);
    if (earlier !== null && !otherPayload) return earlier;
    const roomId = roomIdOf(ask.room);
    const { appCode } = this.who;
    if (ask.type === 'GetCommand') {
      const wanted = this.context.commandOf(ask.of);
      const isOwnApp = wanted?.kind === 'command' && wanted.meta.appCode === appCode;
      const where = isOwnApp ? wanted.meta.roomId : roomId;
      return {
        kind: 'getCommand',
        appCode,
        roomId: where,
        commandId: this.context.commandIdOf(ask.of),
      };
    }
    if (ask.type === 'RtcEvent') return this.rtcEventOf(ask, appCode, roomId);
    if (ask.type === 'GetRoomSnapshot') return { kind: 'getRoomSnapshot', appCode, roomId };
    if (ask.type === 'ReadOwner') return this.readOf(ask, call.role, { appCode, roomId });
    const named = earlier === null ? call.nth : (repeatOf ?? call.nth);
    const commandId = this.context.commandIdOf(named);
    const meta = {
      appCode,
      roomId,
      commandId,
      actorUserId: this.who.userId,
      clientTimeMs: BigInt(call.nth),
      snapshotMode: call.nth % 3 === 0 ? 'none' : 'view',
    };
    if (ask.type === 'RoomHeartbeat') return { kind: 'heartbeat', meta };
    const sessionId = 'session' in ask ? this.sessionOf(ask.session) : '';
    if (ask.type === 'MicHeartbeat')
      return { kind: 'micHeartbeat', meta, micSessionId: sessionId, publishing: true };
    const nowMs = this.context.wallMs();
    const request = requestOf(ask, { clients: this.context.clients, sessionId, nowMs });
    if (request === null) return null;
    return { kind: 'command', meta, role: call.role, request, ttlMs: call.ttlMs };
  }

  private rtcEventOf(
    { target, event: kind, ageMs }: Extract<PlannedAsk, { type: 'RtcEvent' }>,
    appCode: string,
    roomId: string,
  ): CallAsk {
    const userId = this.context.clients[target]?.userId ?? 'nobody';
    const eventTimeMs = Math.max(1, Math.round(this.context.wallMs()) - ageMs);
    return { kind: 'rtcEvent', event: { appCode, sdkAppId: 1, roomId, userId, kind, eventTimeMs } };
  }

  private readOf(
    ask: Extract<PlannedAsk, { type: 'ReadOwner' }>,
    role: PlannedCall['role'],
    place: { readonly appCode: string; readonly roomId: string },
  ): CallAsk {
    const own = role === 'user' ? this.who.userId : '';
    const userId = own === '' ? (this.context.clients[ask.target]?.userId ?? 'nobody') : own;
    const question = questionOf(ask, userId);
    return { kind: 'readOwner', ...place, role, userId: own, question };
  }

  private sessionOf(choice: SessionChoice): string {
    switch (choice) {
      case 'newest':
        return this.sessions.at(-1) ?? 'no-session-yet';
      case 'older':
        return this.sessions.at(-2) ?? 'no-session-yet';
      case 'invented':
        return 'never-given-out';
      case 'none':
        return '';
    }
  }
}

function textOf(end: CallEnd): string {
  return 'reason' in end ? `${end.kind} ${end.reason}` : end.kind;
}

/** Numbered within each app, so that apps have ids in common. */
export function commandIdsOf({ clients, calls }: Workload): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  const named = calls.filter(({ ask }) => ask.type !== 'ReadOwner');
  return new Map(
    named.map(({ nth, client }) => {
      const app = clients[client]?.appCode ?? '';
      const ordinal = (counts.get(app) ?? 0) + 1;
      counts.set(app, ordinal);
      return [nth, `c${ordinal}`];
    }),
  );
}
