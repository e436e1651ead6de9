/**
 * What every Kafka driver needs to know and to have: addresses and limits of the connection, and the
 * ports through which it speaks, waits and counts.
 */
import type { ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';
import type { DriverPorts } from '../driver-ports.ts';

/** Where the brokers are and how long a connection or a request may take. */
export interface KafkaSettings {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[];
  /** Shown in the broker's logs and quotas. */
  readonly clientId: string;
  readonly ssl?: ConnectionOptions | boolean;
  readonly sasl?: SASLOptions;
  /** Until a TCP (and TLS) connection stands. Default 3000. */
  readonly connectionTimeoutMs?: number;
  /**
   * Until a request without an answer is given up; its connection is cut then, because kafkajs
   * would go on with a half-open one until the kernel notices. Default 5000.
   */
  readonly requestTimeoutMs?: number;
}

/** Ports that every Kafka driver takes. */
export type KafkaDeps = DriverPorts;

/** Defaults of the optional limits. */
export const kafkaDefaults = { connectionTimeoutMs: 3_000, requestTimeoutMs: 5_000 } as const;
