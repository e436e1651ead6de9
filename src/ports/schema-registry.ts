/**
 * Avro schemas of all releases that ever wrote, by fingerprint (architecture section 5). A process
 * registers what it writes before its first record; a reader looks up what it does not know.
 */

/** Both calls throw a Retry failure when the registry cannot be reached. */
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
}
