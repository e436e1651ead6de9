/** Tencent RTC as whoever takes users out of its rooms uses it. One per app. */
import type { RoomId, UserId } from '../domain/ids.ts';
import type { SendOutcome } from './im-client.ts';

/** The call ends within its own deadline. Never throws. */
export interface RtcUserRemover {
  /**
   * Ends the user's connection to the room's audio. A user who is not there, and a room that is not
   * there, are `done` (RTC-2). It keeps nobody out: a client with a valid ticket enters again.
   */
  removeUser(roomId: RoomId, userId: UserId): Promise<SendOutcome>;
}
