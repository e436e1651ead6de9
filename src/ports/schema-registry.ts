/**
 * Avro schemas of all releases that ever wrote, by fingerprint (architecture section 5). A process
 * registers what it writes before its first record; a reader looks up what it does not know. Beside
 * them stands the level of the deployment (`protocol/schema-levels.ts`), above which nobody writes.
 */

/** Every call throws a Retry failure when the registry cannot be reached. */
export interface SchemaRegistry {
  /** Stores the schemas that are not there yet. Safe when many processes do it at once. */
  register(
    schemas: readonly {
      readonly name: string;
      readonly fingerprint: string;
      readonly json: string;
    }[],
  ): Promise<void>;
  /** The schema's JSON, or null when nobody ever registered the fingerprint. */
  find(fingerprint: string): Promise<string | null>;
  /**
   * The level of the deployment. It never falls. A database that nobody has written to yet begins
   * with `begin`, for good: of many processes that ask at once, one decides.
   */
  level(begin: number): Promise<number>;
  /** Raises the level to `to`; one that is as high already stays. Answers the level from now on. */
  raiseLevel(to: number): Promise<number>;
}
