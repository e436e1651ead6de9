/** Named limits of a room's tables. Rules of the room and the same everywhere: no configuration. */

/** Admins beside the owner. */
export const adminsMax = 20;

/** Users banned from one room. Full: KickUser is refused until somebody is unbanned. */
export const bansMax = 5_000;

/** Applications and invitations that wait in one room. Full: a new one is refused. */
export const micRequestsMax = 50;

/** Users whose wrong passwords a room remembers. Full: the one with the oldest window is forgotten. */
export const passwordAttemptsMax = 1_000;

/** Users that one sweep takes out (architecture section 6); more need another sweep. */
export const staleUsersPerSweepMax = 200;

/**
 * Bans that one command ends when their time is over; more need another one. Like the requests above
 * it is below the least `events_per_command_max`.
 */
export const bansPerExpiryMax = 50;
