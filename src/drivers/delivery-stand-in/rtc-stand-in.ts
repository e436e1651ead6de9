/**
 * Tencent RTC for development and tests: knows who is in which room, takes users out as the vendor
 * does, records every removal, and fails on order. It knows nothing of HTTP or signatures.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import { FaultBoard, rtcFaultKinds } from '../fault-board.ts';
import { textField } from '../json-fields.ts';
import type { JsonObject } from '../json-fields.ts';
import { RateLimit } from './rate-limit.ts';

/** What a transport does: bring the answer, show a server's error, cut the connection, or nothing. */
export type RtcReply =
  | { readonly kind: 'answer'; readonly body: JsonObject }
  | { readonly kind: 'server_error' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'hang' };

/** A user of a room who was asked to be taken out, as the control interface shows it. */
export interface RtcRemoval {
  readonly sdk_app_id: number;
  readonly room_id: string;
  readonly user_id: string;
  /** Requests that named it. */
  times: number;
  /** Of them those that found the user inside. */
  found: number;
}

/** `slow` without a time of its own waits this long. */
const slowMs = 5_000;
const orderedMessage = 'ordered by the sandbox';
const requestsPerSecondMax = 20;
const usersPerRequestMax = 10;
const removeAction = 'RemoveUserByStrRoomId';
/** Beyond this many nothing new is recorded. */
const entriesMax = 100_000;

/** See the file header. */
export class RtcStandIn {
  readonly faults: FaultBoard<(typeof rtcFaultKinds)[number]>;
  private readonly timers: Timers;
  /** `app NUL room` to the users inside; an empty room is none. */
  private readonly rooms = new Map<string, Set<string>>();
  private readonly removed = new Map<string, RtcRemoval>();
  /** By app. */
  private readonly rate: RateLimit;

  constructor(options: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly random: Random;
  }) {
    const { clock } = options;
    this.rate = new RateLimit(requestsPerSecondMax, () => clock.monoMs());
    this.timers = options.timers;
    this.faults = new FaultBoard(rtcFaultKinds, options.random);
  }

  /** A client enters; false when there is no place for further rooms. */
  enter(sdkAppId: number, roomId: string, userId: string): boolean {
    const key = keyOf(sdkAppId, roomId);
    if (!this.rooms.has(key) && this.rooms.size >= entriesMax) return false;
    this.rooms.set(key, (this.rooms.get(key) ?? new Set()).add(userId));
    return true;
  }

  /** Carries one action out, or what was ordered instead. */
  async handle(action: string, body: JsonObject): Promise<RtcReply> {
    const fault = this.faults.take(action);
    switch (fault?.kind) {
      case 'http_500':
        return { kind: 'server_error' };
      case 'hang':
        return { kind: 'hang' };
      case 'internal_error':
        return refused('InternalError', orderedMessage);
      case 'throttle':
        return refused('RequestLimitExceeded', orderedMessage);
      case 'refuse':
        return refused('UnauthorizedOperation.SdkAppId', orderedMessage);
      case 'cut_after_remove':
        this.perform(action, body);
        return { kind: 'cut' };
      case 'twice':
        // As a proxy does that sends a request again: the caller hears of the second time only.
        this.perform(action, body);
        break;
      case 'slow':
      case undefined:
    }
    const reply = this.perform(action, body);
    if (fault?.kind === 'slow') await this.timers.sleep(fault.delayMs ?? slowMs);
    return reply;
  }

  /** Every removal that was asked for, and who is inside now. */
  show(): {
    readonly removals: readonly RtcRemoval[];
    readonly rooms: readonly {
      readonly sdk_app_id: number;
      readonly room_id: string;
      readonly users: readonly string[];
    }[];
  } {
    const rooms = [...this.rooms].map(([key, users]) => {
      const at = key.indexOf('\0');
      const [app, roomId] = [Number(key.slice(0, at)), key.slice(at + 1)];
      return { sdk_app_id: app, room_id: roomId, users: [...users] };
    });
    return { removals: [...this.removed.values()], rooms };
  }

  private perform(action: string, body: JsonObject): RtcReply {
    const { SdkAppId: app, UserIds: users } = body;
    const roomId = textField(body, 'RoomId');
    if (action !== removeAction) return refused('InvalidAction', 'no such action');
    if (typeof app !== 'number') return refused('MissingParameter.SdkAppId', 'SdkAppId is missing');
    if (roomId === '') return refused('MissingParameter.RoomId', 'RoomId is missing');
    if (!Array.isArray(users) || users.length === 0) {
      return refused('MissingParameter.UserIds', 'UserIds is missing');
    }
    if (users.length > usersPerRequestMax) {
      return refused('InvalidParameter.UserIds', `more than ${usersPerRequestMax} users`);
    }
    if (!this.rate.takes(String(app))) return refused('RequestLimitExceeded', 'too many requests');
    const inside = this.rooms.get(keyOf(app, roomId));
    for (const userId of users) {
      this.record(app, roomId, String(userId), inside?.delete(String(userId)) ?? false);
    }
    if (inside === undefined) return refused('FailedOperation.RoomNotExist', 'no such room');
    if (inside.size === 0) this.rooms.delete(keyOf(app, roomId));
    return { kind: 'answer', body: { Response: { RequestId: 'sandbox' } } };
  }

  private record(app: number, roomId: string, userId: string, wasInside: boolean): void {
    const key = `${keyOf(app, roomId)}\0${userId}`;
    if (!this.removed.has(key) && this.removed.size >= entriesMax) return;
    const fresh = { sdk_app_id: app, room_id: roomId, user_id: userId, times: 0, found: 0 };
    const removal = this.removed.get(key) ?? fresh;
    this.removed.set(key, removal);
    removal.times += 1;
    if (wasInside) removal.found += 1;
  }
}

/** The vendor's envelope around an error. */
export function refused(code: string, message: string): RtcReply {
  const fault = { Code: code, Message: message };
  return { kind: 'answer', body: { Response: { Error: fault, RequestId: 'sandbox' } } };
}

function keyOf(app: number, roomId: string): string {
  return `${app}\0${roomId}`;
}
