/** What the planner believes of a room, so that most of what it asks for could be granted. */

/** See the file header. Members and seats are indexes of clients. */
export interface RoomModel {
  isCreated: boolean;
  isClosed: boolean;
  owner: number;
  seatCount: number;
  password: string;
  readonly members: Set<number>;
  readonly onSeat: Set<number>;
}

/** A room that nobody has made. */
export function absentRoom(): RoomModel {
  return {
    isCreated: false,
    isClosed: false,
    owner: -1,
    seatCount: 0,
    password: '',
    members: new Set(),
    onSeat: new Set(),
  };
}
