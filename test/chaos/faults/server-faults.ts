/** Faults of the servers, all of them started by the run itself. */
import { Redis } from 'ioredis';
import type { ServerFaultKind } from '../plan/fault-kinds.ts';
import type { PlannedFault } from '../plan/schedule.ts';
import { lasting } from '../../support/wait-until.ts';
import { effect, goesOn, standstill, type FaultGround } from './fault-ground.ts';

/** So long without an answer, while many ask, is no accident. */
const quietMs = 500;
/** Answers that must come while Redis is away (promise 7). */
const answersWithoutRedis = 20;

/** Strikes, waits for the effect and has the server whole again; answers whom it befell. */
export async function strikeServer(
  ground: FaultGround,
  kind: ServerFaultKind,
  { lastsMs }: PlannedFault,
): Promise<string> {
  const { deployment, history } = ground;
  const { broker, database, redis } = deployment.servers;
  switch (kind) {
    case 'restartBroker':
      history.fault('brokerRefused it was killed');
      await broker.kill();
      await standstill(history, quietMs);
      await broker.start();
      // Words that were said up to now may be lost.
      history.fault('brokerRefused it is back');
      return 'Kafka';
    case 'restartDatabase':
      history.fault('the database was killed');
      await database.kill();
      await standstill(history, quietMs);
      await database.start();
      return 'MySQL';
    case 'restartRedis':
      history.fault('Redis was killed');
      await redis.kill();
      await goesOn(history, answersWithoutRedis);
      await redis.start();
      return 'Redis';
    case 'freezeRedis':
      history.fault('Redis was frozen');
      redis.freeze();
      try {
        await Promise.all([lasting(lastsMs), goesOn(history, answersWithoutRedis)]);
      } finally {
        redis.thaw();
      }
      return 'Redis';
    case 'flushRedis':
      history.fault('Redis was emptied');
      await flush(deployment.stack.redis.url);
      return 'Redis';
  }
}

/** Empties it and waits until somebody has written again. */
async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.flushall();
    await effect('leases are in Redis again', async () => (await redis.dbsize()) > 0);
  } finally {
    redis.disconnect();
  }
}
