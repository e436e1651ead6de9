/**
 * What startStack says when there is no stack to be had: everything that is missing, at once.
 */
import { describe, expect, it } from 'vitest';
import { addressesOf, envOf } from '../../../scripts/stack/stack-env.ts';
import { startStack } from '../../../scripts/stack/start-stack.ts';
import { StackUnavailableError } from '../../../scripts/stack/stack-types.ts';

type Environment = Readonly<Record<string, string>>;

async function refusal(environment: Environment): Promise<StackUnavailableError> {
  try {
    await startStack({ environment, log: () => undefined });
  } catch (error) {
    if (error instanceof StackUnavailableError) return error;
    throw error;
  }
  throw new Error('a stack was started');
}

describe('startStack', () => {
  it('refuses a choice that it does not know', async () => {
    const { message, exitCode } = await refusal({ ROOMCELL_STACK: 'docker' });
    expect(message).toContain(`'docker'`);
    expect(exitCode).toBe(2);
  });

  it('names all variables that a given stack lacks', async () => {
    const { message } = await refusal({ ROOMCELL_STACK: 'given', ROOMCELL_MYSQL_HOST: 'db' });
    expect(message).toContain('ROOMCELL_KAFKA_BROKERS is not set');
    expect(message).toContain('ROOMCELL_REDIS_URL is not set');
    expect(message).not.toContain('ROOMCELL_MYSQL_HOST is not set');
  });

  it('never replaces a named server by another, and tells of all that do not answer', async () => {
    const { message } = await refusal({
      // Port 1 of this machine: nobody listens there.
      ROOMCELL_MYSQL_PORT: '1',
      ROOMCELL_REDIS_URL: 'redis://:hidden@127.0.0.1:1',
    });
    expect(message).toContain('MySQL at 127.0.0.1:1');
    expect(message).toContain('Redis at 127.0.0.1:1');
    expect(message).not.toContain('hidden');
  });
});

describe('stack variables', () => {
  const addresses = {
    kafkaBrokers: ['127.0.0.1:1', '127.0.0.1:2'],
    mysql: { host: 'db', port: 3306, user: 'root', password: '', database: 'roomcell_1' },
    redis: { url: 'redis://127.0.0.1:6379', keyPrefix: 'rc1:' },
  };

  it('lead back to the addresses they were made of', () => {
    expect(addressesOf(envOf(addresses))).toEqual({ addresses });
  });

  it('are named when they are missing; a password may be empty', () => {
    expect(addressesOf({ ...envOf(addresses), ROOMCELL_REDIS_URL: '' })).toEqual({
      missing: ['ROOMCELL_REDIS_URL'],
    });
  });
});
