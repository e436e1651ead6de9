/**
 * The bare limit of the database: the rows of sampled commands, inserted as fast as plain statements
 * can, without a fence, an idempotency look-up or a reply. Each batch is one packet that ends with
 * its COMMIT; the best batch size counts, on one connection and on four.
 */
import mysql, { type Connection, type ConnectionOptions } from 'mysql2/promise';
import { figuresOf, type Figures } from './figures.ts';
import { makeBareTables, rowPacket } from './row-packet.ts';
import type { RowSample } from './row-sample.ts';

/** Commands in one transaction that are tried. */
export const batchSizes = [1, 10, 50, 200] as const;

/** The best batch size of one number of connections. */
export interface BareRows extends Figures {
  readonly batchSize: number;
}

/** Measures so many writers side by side, each batch size in turn. */
export async function measureBareRows(
  server: ConnectionOptions,
  sample: RowSample,
  connections: number,
  measureMs: number,
): Promise<BareRows> {
  let best: BareRows | null = null;
  for (const batchSize of batchSizes) {
    const writers = await Promise.all(
      Array.from({ length: connections }, () =>
        mysql.createConnection({ ...server, multipleStatements: true }),
      ),
    );
    try {
      const figures = await measureOnce(writers, sample, batchSize, measureMs);
      if (best === null || figures.perSecond > best.perSecond) best = { ...figures, batchSize };
    } finally {
      await Promise.all(writers.map((writer) => writer.end()));
    }
  }
  if (best === null) throw new Error('there are no batch sizes');
  return best;
}

async function measureOnce(
  writers: readonly Connection[],
  sample: RowSample,
  batchSize: number,
  measureMs: number,
): Promise<Figures> {
  const [first] = writers;
  if (first === undefined) throw new Error('there is no connection');
  await makeBareTables(first);
  const endMs = performance.now() + measureMs;
  const durations: number[] = [];
  let written = 0;
  const run = async (writer: Connection, lane: number): Promise<void> => {
    for (let round = 0; performance.now() < endMs; round += 1) {
      const base = (round * writers.length + lane) * batchSize;
      const serials = Array.from({ length: batchSize }, (_, index) => base + index);
      const startedMs = performance.now();
      await untilNoDeadlock(() => writer.query(rowPacket(writer, sample, serials)));
      durations.push(performance.now() - startedMs);
      written += batchSize;
    }
  };
  const startedMs = performance.now();
  await Promise.all(writers.map(run));
  const elapsedMs = performance.now() - startedMs;
  const figures = figuresOf(writers.length, durations, elapsedMs, 0);
  return { ...figures, perSecond: Math.round((written / elapsedMs) * 1_000) };
}

/** Two writers that change one room's row meet now and then; a bare writer, too, has to go again. */
async function untilNoDeadlock(run: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      const isDeadlock = error instanceof Error && 'errno' in error && error.errno === 1213;
      if (!isDeadlock) throw error;
    }
  }
}
