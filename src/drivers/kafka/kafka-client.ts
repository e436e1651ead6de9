/**
 * Makes the kafkajs client of one driver. Every driver has its own, so that what it sent and what
 * it has open can be told apart from the others', and so that stopping one stops nothing else.
 */
import { Kafka, logLevel } from 'kafkajs';
import type { KafkaConfig, RetryOptions } from 'kafkajs';
import type { Log } from '../../ports/log.ts';
import { BrokerSockets } from './broker-sockets.ts';
import { kafkaLogBridge } from './kafka-log-bridge.ts';
import { kafkaDefaults } from './kafka-settings.ts';
import type { KafkaSettings } from './kafka-settings.ts';
import { patchRequestQueue } from './request-queue-patch.ts';

/**
 * Consumers never give up: kafkajs counts the tries of a consumer over its whole life, so that any
 * finite number ends a healthy process some day.
 */
export const endlessRetry: RetryOptions = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  multiplier: 2,
  factor: 0.2,
  retries: Number.MAX_SAFE_INTEGER,
};

/** Senders give up soon and say so, because somebody waits for their answer. */
export const briefRetry: RetryOptions = {
  initialRetryTime: 50,
  maxRetryTime: 400,
  multiplier: 2,
  factor: 0.2,
  retries: 3,
};

/** A kafkajs client with its sockets in our hand. */
export interface KafkaClient {
  readonly kafka: Kafka;
  readonly sockets: BrokerSockets;
  /** Ends every connection and every attempt to make one. Idempotent; call it last. */
  close(): void;
}

/** Makes a client. Nothing is connected yet. An absent broker and its return are logged once each. */
export function createKafkaClient(
  settings: KafkaSettings,
  log: Log,
  retry: RetryOptions,
): KafkaClient {
  if (!patchRequestQueue()) log.debug({}, 'kafkajs has no request queue to patch');
  const sockets = new BrokerSockets(log);
  const config: KafkaConfig = {
    clientId: settings.clientId,
    // An empty list is the one thing that ends kafkajs's own reconnecting, see BrokerSockets.close.
    brokers: () => (sockets.isClosed ? [] : [...settings.brokers]),
    connectionTimeout: settings.connectionTimeoutMs ?? kafkaDefaults.connectionTimeoutMs,
    requestTimeout: settings.requestTimeoutMs ?? kafkaDefaults.requestTimeoutMs,
    retry,
    socketFactory: sockets.factory,
    logLevel: logLevel.INFO,
    logCreator: kafkaLogBridge(log),
    ...(settings.ssl === undefined ? {} : { ssl: settings.ssl }),
    ...(settings.sasl === undefined ? {} : { sasl: settings.sasl }),
  };
  return { kafka: new Kafka(config), sockets, close: () => sockets.close() };
}
