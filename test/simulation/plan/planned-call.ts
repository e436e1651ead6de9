/** The calls of a run's clients as plain data: what is asked in which order, never what comes of it. */

/** A client is one user of one app; its name, and its place in the ring of gifts, is its index. */
export interface PlannedClient {
  readonly appCode: string;
  readonly userId: string;
}

/** Which mic session a call names: the newest that the client was given, an older one, or none at all. */
export type SessionChoice = 'newest' | 'older' | 'invented' | 'none';

/** What is asked. `room` is an index; targets are indexes of clients. */
export type PlannedAsk =
  | {
      readonly type: 'CreateRoom';
      readonly room: number;
      readonly seatCount: number;
      readonly password: string;
    }
  | {
      readonly type: 'JoinRoom';
      readonly room: number;
      readonly password: string;
      readonly isRobot: boolean;
    }
  | { readonly type: 'LeaveRoom'; readonly room: number }
  | { readonly type: 'MicUp'; readonly room: number; readonly seatNo: number }
  | {
      readonly type: 'MicDown';
      readonly room: number;
      /** Null: oneself. */
      readonly target: number | null;
      readonly session: SessionChoice;
    }
  | {
      readonly type: 'ConfirmMicPublishing';
      readonly room: number;
      readonly session: SessionChoice;
    }
  | { readonly type: 'CloseRoom'; readonly room: number; readonly reason: string }
  | {
      readonly type: 'SendGift';
      readonly room: number;
      readonly giftId: string;
      readonly giftCount: number;
      readonly targets: readonly number[];
    }
  | { readonly type: 'RoomHeartbeat'; readonly room: number }
  | { readonly type: 'GetRoomSnapshot'; readonly room: number }
  /** `of`: number of the call whose command is looked up. */
  | { readonly type: 'GetCommand'; readonly room: number; readonly of: number };

/** Everything that can be asked. */
export type AskType = PlannedAsk['type'];

/** One call with all its tries. */
export interface PlannedCall {
  /** Unique in the run; the command id is its place among the calls of its app. */
  readonly nth: number;
  readonly client: number;
  /** Not before this time of the run, and not before the end of the client's last call; virtual ms. */
  readonly atMs: number;
  readonly gateway: number;
  readonly role: 'user' | 'service' | 'operator';
  readonly ttlMs: number;
  /** Not before an aimed fault has come to its moment for the nth time. Absent: it waits for none. */
  readonly moment?: number;
  /** Whether the client goes on without an answer, and comes back for it at the end of the run. */
  readonly givesUp: boolean;
  /** Whether nobody ever asks for it again, answered or not. */
  readonly isForgotten: boolean;
  readonly ask: PlannedAsk;
  /**
   * The id of an earlier call of this client is used again: with exactly what was asked then, or
   * with `ask` instead of it (`otherPayload`). Null: an id of its own.
   */
  readonly repeatOf: number | null;
  readonly otherPayload: boolean;
}

/** See the file header. */
export interface Workload {
  readonly clients: readonly PlannedClient[];
  readonly calls: readonly PlannedCall[];
}
