/**
 * The removal of users as the vendor's interface wants to be asked for it, and what each answer means.
 * How a request gets there and back is given; the signed client and the twin in memory are two ways.
 */
import type { RoomId, UserId } from '../../domain/ids.ts';
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { SendOutcome } from '../../ports/im-client.ts';
import type { RtcUserRemover } from '../../ports/rtc-user-remover.ts';
import type { JsonObject } from '../json-fields.ts';
import { textField } from '../json-fields.ts';
import { rtcActionOf, rtcThrottleMs } from './error-table.ts';

/** The action for rooms that are named by text, as ours are. */
export const removeAction = 'RemoveUserByStrRoomId';

/** A JSON object that came back, or nothing certain. */
export type RtcAnswer = { readonly kind: 'answer'; readonly body: JsonObject } | UnknownOutcome;

/** Sends one action. Never throws, and ends within its own limit. */
export type PostAction = (action: string, body: JsonObject) => Promise<RtcAnswer>;

/** See the file header. */
export class VendorRtcRemover implements RtcUserRemover {
  private readonly sdkAppId: number;
  private readonly post: PostAction;

  constructor(sdkAppId: number, post: PostAction) {
    this.sdkAppId = sdkAppId;
    this.post = post;
  }

  async removeUser(roomId: RoomId, userId: UserId): Promise<SendOutcome> {
    const body = { SdkAppId: this.sdkAppId, RoomId: roomId, UserIds: [userId] };
    const answer = await this.post(removeAction, body);
    if (answer.kind === 'unknown') {
      return { kind: 'unknown', cause: `${removeAction}: ${answer.cause}` };
    }
    return outcomeOf(answer.body);
  }
}

/** Errors come with status 200 like everything else; an answer without a `Response` is none. */
function outcomeOf(body: JsonObject): SendOutcome {
  const response = objectIn(body, 'Response');
  if (response === null) {
    return { kind: 'unknown', cause: `${removeAction}: an answer without a result` };
  }
  const fault = objectIn(response, 'Error');
  if (fault === null) return { kind: 'done' };
  const code = textField(fault, 'Code');
  const error = `${removeAction}: ${code} ${textField(fault, 'Message')}`.trim();
  switch (rtcActionOf(code)) {
    case 'done':
      return { kind: 'done' };
    case 'throttle':
      return { kind: 'throttled', error, retryAfterMs: rtcThrottleMs };
    case 'permanent':
      return { kind: 'permanent', error };
    case 'retry':
      return { kind: 'retryable', error };
  }
}

function objectIn(body: JsonObject, name: string): JsonObject | null {
  const value = body[name];
  return typeof value === 'object' && value !== null ? (value as JsonObject) : null;
}
