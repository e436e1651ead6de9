/**
 * What the RTC service tells of a user's audio, on its way into the room (RTC-4). The service's server
 * (HTTP) calls this; the gateway implements it.
 */
import type { RtcEventKind } from '../domain/mic/mic-commands.ts';

/** One callback, its signature checked, its fields as they came. */
export interface RtcUserEvent {
  readonly appCode: string;
  /** Of the RTC application: part of what makes two callbacks the same. */
  readonly sdkAppId: number;
  readonly roomId: string;
  readonly userId: string;
  readonly kind: RtcEventKind;
  /** When it happened by the service's clock; 0: it did not say. */
  readonly eventTimeMs: number;
}

/** `ignored`: no room or user of ours can be meant; sending it again would not help. */
export type RtcEventEnd = 'taken' | 'ignored';

/** Takes callbacks in. */
export interface RtcEvents {
  /**
   * Resolves with `taken` once the command that it becomes is acknowledged by all replicas of the
   * commands topic; what the room makes of it is not waited for. A repeat of the same callback
   * becomes the same command id. Throws a Retry failure when that is not certain: the service then
   * sends it again.
   */
  applyRtcEvent(event: RtcUserEvent): Promise<RtcEventEnd>;
}
