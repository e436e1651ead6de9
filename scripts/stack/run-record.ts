/**
 * What a run leaves on servers it doesn't own (a database, Redis keys) is written down in the
 * user's cache folder before it is created. A run that dies without its clean-up is cleaned up by
 * the next one that uses the same servers.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropDatabases, type MysqlAccount } from './mysql-server.ts';
import { deleteKeys } from './redis-server.ts';

/** One run's traces. No password is written; a server of the run's own is left out. */
interface RunRecord {
  readonly pid: number;
  readonly mysqlServer?: string;
  readonly database: string;
  readonly redisServer?: string;
  readonly keyPrefix: string;
}

/** The servers this run uses and doesn't own; only traces on these stay and can be removed. */
export interface SharedServers {
  readonly account: MysqlAccount | undefined;
  readonly redisUrl: string | undefined;
}

/** Writes the record of this process's run; call the result once the traces are gone. */
export function recordRun(
  cacheFolder: string,
  servers: SharedServers,
  traces: { readonly database: string; readonly keyPrefix: string },
): () => void {
  const folder = join(cacheFolder, 'runs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${traces.database}.json`);
  const record: RunRecord = { pid: process.pid, ...traces, ...addressesOf(servers) };
  writeFileSync(file, JSON.stringify(record));
  return () => rmSync(file, { force: true });
}

/** Removes the traces of runs whose process is gone. A record that can't be read is left alone. */
export async function sweepDeadRuns(cacheFolder: string, servers: SharedServers): Promise<void> {
  for (const file of recordFiles(cacheFolder)) {
    const record = readRecord(file);
    if (record === undefined || isAlive(record.pid)) continue;
    if (!(await sweep(record, servers))) continue;
    rmSync(file, { force: true });
  }
}

/** False when the traces are on other servers than those of this run. */
async function sweep(record: RunRecord, servers: SharedServers): Promise<boolean> {
  const here = addressesOf(servers);
  const hasOurNames =
    /^roomcell_[0-9a-f]+$/.test(record.database) && /^rc[0-9a-f]+:$/.test(record.keyPrefix);
  const isElsewhere =
    (record.mysqlServer !== undefined && record.mysqlServer !== here.mysqlServer) ||
    (record.redisServer !== undefined && record.redisServer !== here.redisServer);
  if (!hasOurNames || isElsewhere) return false;
  if (record.mysqlServer !== undefined && servers.account !== undefined) {
    await dropDatabases(servers.account, record.database);
  }
  if (record.redisServer !== undefined && servers.redisUrl !== undefined) {
    await deleteKeys(servers.redisUrl, record.keyPrefix);
  }
  return true;
}

function addressesOf({ account, redisUrl }: SharedServers): {
  mysqlServer?: string;
  redisServer?: string;
} {
  return {
    ...(account !== undefined && { mysqlServer: `${account.host}:${account.port}` }),
    ...(redisUrl !== undefined && { redisServer: new URL(redisUrl).host }),
  };
}

function recordFiles(cacheFolder: string): string[] {
  const folder = join(cacheFolder, 'runs');
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readRecord(file: string): RunRecord | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
