/** What the exit code of `roomcell` means. `docs/operations.md` shows the same table. */

/** See the comments; a second signal ends the process with 128 + its number. */
export const exitCodes = {
  /** Done, or stopped in an orderly way. */
  ok: 0,
  /** The command failed, or a drain did not finish in time (the log names what was in hand). */
  failed: 1,
  /** The command line cannot be understood. */
  usage: 2,
  /** The configuration is refused; nothing was touched. */
  badConfig: 3,
  /** A one-time command could not reach Kafka, MySQL or Redis. */
  unavailable: 4,
  /** A role died and could not go on in this process. */
  roleDied: 5,
  /** Another process lives under this cell's `node_id`. */
  nameTaken: 6,
  /** An error that nobody expected: see the last line of the log. */
  fault: 70,
} as const;

/** One of the codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
