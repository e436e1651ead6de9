/** Avro schemas by fingerprint in MySQL, and the level of the deployment. Rows are only ever added. */
import type { SchemaRegistry } from '../../ports/schema-registry.ts';
import type { MysqlPool } from './pool.ts';

/** See the port. */
export class MysqlSchemaRegistry implements SchemaRegistry {
  private readonly pool: MysqlPool;

  constructor(pool: MysqlPool) {
    this.pool = pool;
  }

  async register(
    schemas: readonly {
      readonly name: string;
      readonly fingerprint: string;
      readonly json: string;
    }[],
  ): Promise<void> {
    if (schemas.length === 0) return;
    const nowMs = Date.now();
    const rows = schemas.map(({ fingerprint, name, json }) => [fingerprint, name, json, nowMs]);
    // The first writer's row stays: equal fingerprints mean equal schemas.
    await this.pool.run(
      'registering schemas',
      'INSERT INTO avro_schemas (fingerprint, name, schema_json, registered_at_ms) VALUES ? ' +
        'ON DUPLICATE KEY UPDATE fingerprint = VALUES(fingerprint)',
      [rows],
    );
  }

  async find(fingerprint: string): Promise<string | null> {
    const rows = await this.pool.rows(
      'looking a schema up',
      'SELECT schema_json FROM avro_schemas WHERE fingerprint = ?',
      [fingerprint],
    );
    const json = rows[0]?.['schema_json'];
    return json === undefined ? null : String(json);
  }

  async level(begin: number): Promise<number> {
    const stored = await this.storedLevel();
    if (stored !== null) return stored;
    // The first of many stays: whoever comes second reads what the first one wrote.
    await this.pool.run(
      'storing the first schema level',
      'INSERT IGNORE INTO schema_level (id, level, raised_at_ms) VALUES (1, ?, ?)',
      [begin, Date.now()],
    );
    return (await this.storedLevel()) ?? begin;
  }

  async raiseLevel(to: number): Promise<number> {
    await this.level(to);
    await this.pool.run(
      'raising the schema level',
      'UPDATE schema_level SET level = ?, raised_at_ms = ? WHERE id = 1 AND level < ?',
      [to, Date.now(), to],
    );
    return this.level(to);
  }

  private async storedLevel(): Promise<number | null> {
    const rows = await this.pool.rows(
      'reading the schema level',
      'SELECT level FROM schema_level WHERE id = 1',
      [],
    );
    const level = rows[0]?.['level'];
    return level === undefined ? null : Number(level);
  }
}
