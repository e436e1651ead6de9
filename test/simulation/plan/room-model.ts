/** What the planner believes of a room, so that most of what it asks for could be granted. */

/** See the file header. Members, seats and the rest are indexes of clients. */
export interface RoomModel {
  isCreated: boolean;
  isClosed: boolean;
  owner: number;
  seatCount: number;
  password: string;
  mode: 'free' | 'apply';
  readonly members: Set<number>;
  readonly onSeat: Set<number>;
  readonly admins: Set<number>;
  readonly banned: Set<number>;
  /** Who was asked to the mic, or asked for it. */
  readonly asked: Set<number>;
}

/** A room that nobody has made. */
export function absentRoom(): RoomModel {
  return {
    isCreated: false,
    isClosed: false,
    owner: -1,
    seatCount: 0,
    password: '',
    mode: 'free',
    members: new Set(),
    onSeat: new Set(),
    admins: new Set(),
    banned: new Set(),
    asked: new Set(),
  };
}

/** Forgets whoever is not in the room any more. */
export function gone(model: RoomModel, client: number): void {
  model.members.delete(client);
  model.onSeat.delete(client);
  model.asked.delete(client);
}
