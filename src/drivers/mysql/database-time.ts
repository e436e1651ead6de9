/** The database's clock in SQL: read inside the statement that decides, so that no client's counts. */

/** Milliseconds since 1970 UTC; sessions are in UTC. */
export const dbNowMs = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';
