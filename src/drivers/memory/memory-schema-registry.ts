/** Memory twin of the schema registry. Rows are only ever added; the first text stays. */
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import { put, type MemoryDatabase } from './memory-database.ts';

/** Key of the one row that says the level. */
export const levelKey = 'level';

/** See the file header. */
export class MemorySchemaRegistry implements SchemaRegistry {
  private readonly database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.database = database;
  }

  async register(
    schemas: readonly {
      readonly name: string;
      readonly fingerprint: string;
      readonly json: string;
    }[],
  ): Promise<void> {
    if (schemas.length === 0) return;
    await this.database.server.call('schemas', 'registering schemas', 'write', () => {
      const texts = new Map<string, string>();
      for (const { fingerprint, json } of schemas) {
        const isKnown = this.database.schemas.has(fingerprint) || texts.has(fingerprint);
        if (!isKnown) texts.set(fingerprint, json);
      }
      const rows = [...texts].map(([print, json]) => put(this.database.schemas, print, json));
      this.database.commit(rows);
    });
  }

  find(fingerprint: string): Promise<string | null> {
    const { server, schemas } = this.database;
    return server.call('schemas', 'looking a schema up', 'read', () => {
      return schemas.get(fingerprint) ?? null;
    });
  }

  async level(begin: number): Promise<number> {
    const { server, schemaLevel } = this.database;
    const found = await server.call('schemas', 'reading the schema level', 'read', () =>
      schemaLevel.get(levelKey),
    );
    if (found !== undefined) return found;
    return server.call('schemas', 'storing the first schema level', 'write', () => {
      const stored = schemaLevel.get(levelKey) ?? begin;
      this.database.commit([put(schemaLevel, levelKey, stored)]);
      return stored;
    });
  }

  raiseLevel(to: number): Promise<number> {
    return this.database.server.call('schemas', 'raising the schema level', 'write', () => {
      const level = Math.max(this.database.schemaLevel.get(levelKey) ?? to, to);
      this.database.commit([put(this.database.schemaLevel, levelKey, level)]);
      return level;
    });
  }
}
