/** Which ends of a consumer are waited out, by the errors that kafkajs really builds. */
import kafkajs from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { passesByItself } from '../../../../src/drivers/kafka/passing-errors.ts';

const {
  KafkaJSConnectionError,
  KafkaJSGroupCoordinatorNotFound,
  KafkaJSLockTimeout,
  KafkaJSNonRetriableError,
  KafkaJSNumberOfRetriesExceeded,
  KafkaJSSASLAuthenticationError,
  KafkaJSServerDoesNotSupportApiKey,
} = kafkajs;

/** kafkajs's own types do not know its constructors' parameters. */
function made(type: new (...args: never[]) => Error, ...args: readonly unknown[]): Error {
  return Reflect.construct(type, args) as Error;
}

describe('the end of a Kafka consumer', () => {
  it('is replaced when its broker, just back, knows no coordinator yet', () => {
    const cause = made(KafkaJSGroupCoordinatorNotFound, 'Failed to find group coordinator');
    expect(passesByItself(made(KafkaJSNonRetriableError, cause, { cause }))).toBe(true);
  });

  it.each([
    ['a lock that was not free in time', made(KafkaJSLockTimeout, 'timeout')],
    ['a cut connection', made(KafkaJSConnectionError, 'cut')],
    [
      'retries that were used up',
      made(KafkaJSNumberOfRetriesExceeded, new Error('x'), { retryCount: 5, retryTime: 1 }),
    ],
  ])('is replaced after %s', (_what, error) => {
    expect(passesByItself(error)).toBe(true);
  });

  it.each([
    ['refused credentials', made(KafkaJSSASLAuthenticationError, 'no')],
    ['a broker of another age', made(KafkaJSServerDoesNotSupportApiKey, 'no', {})],
    ['a fault of ours', new TypeError('undefined is not a function')],
    ['something that is no error', 'text'],
  ])('is a crash after %s', (_what, error) => {
    expect(passesByItself(error)).toBe(false);
  });
});
