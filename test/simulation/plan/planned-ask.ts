/**
 * What a client can ask for, as plain data. `room` is an index; targets are indexes of clients, and a
 * target of null is the client itself.
 */

/** Which mic session a call names: the newest that the client was given, an older one, or none at all. */
export type SessionChoice = 'newest' | 'older' | 'invented' | 'none';

type InRoom = { readonly room: number };
type OfTarget = InRoom & { readonly target: number };
type OfSeat = InRoom & { readonly seatNo: number };

/** About the room itself. */
export type RoomAsk =
  | ({
      readonly type: 'CreateRoom';
      readonly seatCount: number;
      readonly password: string;
      /** Not named in cases of old: free. */
      readonly mode?: 'free' | 'apply';
    } & InRoom)
  | ({ readonly type: 'CloseRoom' | 'DeleteRoom'; readonly reason: string } & InRoom)
  /** Null leaves a part as it is. */
  | ({
      readonly type: 'UpdateRoomProfile';
      readonly title: string | null;
      readonly announcement: string | null;
      readonly tags: readonly string[] | null;
    } & InRoom)
  | ({ readonly type: 'SetSeatCount'; readonly seatCount: number } & InRoom)
  | ({ readonly type: 'SetRoomPassword'; readonly password: string } & InRoom)
  | ({ readonly type: 'SetRoomMode'; readonly mode: 'free' | 'apply' } & InRoom)
  | ({ readonly type: 'SetVisibleRegion'; readonly region: number } & InRoom)
  | ({ readonly type: 'SetAdmin'; readonly isAdmin: boolean } & OfTarget)
  | ({ readonly type: 'TransferOwner' } & OfTarget);

/** About who is in the room. */
export type PresenceAsk =
  | ({ readonly type: 'JoinRoom'; readonly password: string; readonly isRobot: boolean } & InRoom)
  | ({ readonly type: 'UpdateUser'; readonly nickname: string } & InRoom)
  | ({ readonly type: 'LeaveRoom' } & InRoom)
  /** 0: without an end. */
  | ({ readonly type: 'KickUser'; readonly forMs: number } & OfTarget)
  | ({ readonly type: 'UnbanUser' } & OfTarget)
  /** By an operator, from this room alone. */
  | ({ readonly type: 'EvictUser' } & OfTarget);

/** About the mic seats. */
export type MicAsk =
  | ({ readonly type: 'MicUp' | 'ApplyForMic' } & OfSeat)
  | ({
      readonly type: 'MicDown';
      readonly target: number | null;
      readonly session: SessionChoice;
    } & InRoom)
  | ({ readonly type: 'ChangeMicSeat' } & OfSeat)
  | ({ readonly type: 'ConfirmMicPublishing'; readonly session: SessionChoice } & InRoom)
  | ({ readonly type: 'SetMicSeatLock'; readonly locked: boolean } & OfSeat)
  | ({ readonly type: 'SetMicSeatMute'; readonly muted: boolean } & OfSeat)
  | ({ readonly type: 'InviteToMic'; readonly seatNo: number } & OfTarget)
  | ({
      readonly type: 'AnswerMicRequest';
      readonly target: number | null;
      readonly answer: 'accepted' | 'declined';
    } & InRoom);

/** Gifts. */
export type GiftAsk = {
  readonly type: 'SendGift';
  readonly giftId: string;
  readonly giftCount: number;
  readonly targets: readonly number[];
} & InRoom;

/** What nobody asks for again: signs of life, looks, and what the RTC service tells. */
export type LightAsk =
  | ({ readonly type: 'RoomHeartbeat' | 'GetRoomSnapshot' } & InRoom)
  | ({ readonly type: 'MicHeartbeat'; readonly session: SessionChoice } & InRoom)
  /** Told by the RTC service, so long after it happened, and now and then twice. */
  | ({
      readonly type: 'RtcEvent';
      readonly event: 'audio_started' | 'audio_stopped' | 'room_exited';
      readonly ageMs: number;
      readonly isTwice: boolean;
    } & OfTarget)
  /** `of`: number of the call whose command is looked up. */
  | ({ readonly type: 'GetCommand'; readonly of: number } & InRoom);

/** A question to the owner of the room; of a list, its first `size` entries. Planned apart (`plan-reads.ts`). */
export type ReadAsk = {
  readonly type: 'ReadOwner';
  readonly question: 'view' | 'guard' | 'audience' | 'bans' | 'micRequests' | 'giftRank';
  readonly size: number;
} & OfTarget;

/** Everything that can be asked. */
export type PlannedAsk = RoomAsk | PresenceAsk | MicAsk | GiftAsk | LightAsk | ReadAsk;

/** The names of what the workload is drawn from. */
export type AskType = Exclude<PlannedAsk, ReadAsk>['type'];

/** Names of what is no command. */
export const lightAsks: ReadonlySet<PlannedAsk['type']> = new Set<(LightAsk | ReadAsk)['type']>([
  'RoomHeartbeat',
  'MicHeartbeat',
  'RtcEvent',
  'GetRoomSnapshot',
  'GetCommand',
  'ReadOwner',
]);

/** Whether it asks for a command, which has an id and is asked for until it is answered. */
export function isCommand({ type }: PlannedAsk): boolean {
  return !lightAsks.has(type);
}
