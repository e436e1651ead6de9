/**
 * Faults that wait for their moment: what does harm only between two steps that follow each other at
 * once, or only after another fault, is met by chance once in thousands of runs. Each names the moment
 * and what happens then; where and how long is drawn like that of any other fault.
 */

/** See the file header. Numbers are those of a kind's chance to be known to a run. */
export const aimedKinds = {
  /** A cell stands still at a point until another has taken a partition of it over. */
  frozenOverTakeover: 0.2,
  /**
   * The same while a heartbeat is answered, so that it reads on after the thaw. Then a gift comes, the
   * successor stands still until it has expired, and leases and owner row tell the former owner
   * nothing for a while.
   */
  staleReader: 0.15,
  /** Somebody holds a cell's owner rows from its next packet on, for longer than it waits for them. */
  heldAtCommit: 0.12,
  /** The same in the midst of a batch that is split because a command of it is refused. */
  heldInSplit: 0.15,
  /** A cell ends after it could commit nothing for longer than Kafka's hint is apart. */
  heldThenKilled: 0.12,
  /** The relays' clocks run ahead of a claim's end while its adapter waits in vain for an answer. */
  claimTakenEarly: 0.12,
} as const;

/** The same of questions to owners, drawn apart. */
export const aimedReadKinds = {
  /**
   * A cell stands still until another has taken a partition over and changed a room that it knows; then
   * somebody asks about the room, the way leads to the former owner, and it goes on.
   */
  formerOwnerAsked: 0.2,
  /** Somebody asks about a room right behind a COMMIT whose answer is lost and cannot be read back yet. */
  askedBehindCommit: 0.12,
  /** Rooms are read slowly for a while, and rebuilds that began before a commit are under way behind it. */
  readsLateAtCommit: 0.15,
  /** The same of entries of the room list, read to be copied. */
  copiesLateAtCommit: 0.1,
} as const;

/** Name of a kind. */
export type AimedKind = keyof typeof aimedKinds | keyof typeof aimedReadKinds;

/** All names. */
export const aimedNames = Object.keys({
  ...aimedKinds,
  ...aimedReadKinds,
}) as readonly AimedKind[];
