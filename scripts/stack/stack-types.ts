/**
 * What a stack is to those who use it (the start script, the test runner, fault tests): one Kafka,
 * one MySQL database and one Redis key space that belong to this run alone.
 */

import type { BrokerDoor } from './kafka-config.ts';
import type { ServerStackKind } from './stack-choice.ts';

/** Where a MySQL database is and who may use it. */
export interface MysqlTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Where Redis is, and the prefix that every key of this run must carry. */
export interface RedisTarget {
  readonly url: string;
  readonly keyPrefix: string;
}

/** A server process that this run started. Methods promise their effect when they resolve. */
export interface ServerControl {
  /** Undefined while the server is stopped. */
  readonly pid: number | undefined;
  /** Asks the server to end and waits for it; ends it by force after a while. Data stays. */
  stop(): Promise<void>;
  /** Ends the server at once, as a crash would. Data stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, and waits until it answers. */
  start(): Promise<void>;
  /** Suspends the process: its sockets stay open and silent. */
  freeze(): void;
  /** Ends freeze. */
  thaw(): void;
}

/** The broker: a server with a second address that no proxy of a test stands in front of. */
export interface BrokerControl extends ServerControl {
  /** Address where the broker listens for clients; what a proxy forwards to. */
  readonly listenPort: number;
  /** Brokers for observers that must not be hit by the test's own faults. */
  readonly directBrokers: string[];
  /** Where the broker's warnings and errors are written. */
  readonly logFile: string;
}

/** How to start a stack. Every field has a default. */
export interface StackOptions {
  /** Receives the lines a person should see. Default: standard output. */
  readonly log?: (line: string) => void;
  /** Default: this process's environment. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Port that clients are told to connect to; a proxy must listen there. Default: none. */
  readonly kafkaAdvertisedPort?: number;
  /** Port where the broker itself listens for clients. Default: a free one. */
  readonly kafkaListenPort?: number;
  /** Further ways into the broker, each behind a proxy of its own. Native stacks only. */
  readonly kafkaDoors?: readonly BrokerDoor[];
  /** Never use a MySQL or Redis that answers already: a fault test kills its own. Default: false. */
  readonly ownServers?: boolean;
  /** Who starts containers, where the stack is made of them. Default: the command line. */
  readonly containers?: 'command line' | 'testcontainers';
  /** Beside the servers, a page that shows what Kafka holds. Default: false. */
  readonly withKafkaUi?: boolean;
  /** Ends a start that waits for images. Default: none. */
  readonly signal?: AbortSignal;
  /** On SIGINT and SIGTERM stop the stack, then exit with 128 + signal number. Default: true. */
  readonly stopOnSignals?: boolean;
}

/** A running stack. Control handles are undefined for servers that this run didn't start. */
export interface Stack {
  readonly kind: ServerStackKind;
  /** One line: what runs where, and who started it. */
  readonly description: string;
  readonly kafkaBrokers: string[];
  readonly mysql: MysqlTarget;
  readonly redis: RedisTarget;
  /** The same as ROOMCELL_… variables, for a child process. */
  readonly env: Record<string, string>;
  readonly kafka: BrokerControl | undefined;
  readonly mysqlServer: ServerControl | undefined;
  readonly redisServer: ServerControl | undefined;
  /** Ends what this run started, drops its databases and keys. Safe to call again. */
  stop(): Promise<void>;
}

/** No servers: what a run stands on is in the memory of its one process of roles. */
export interface EmbeddedStack {
  readonly kind: 'embedded';
  readonly description: string;
  /** What is lost, and when; for everybody who sees the run. */
  readonly notice: string;
  readonly env: Record<string, string>;
  stop(): Promise<void>;
}

/** Whatever a run of all roles in one process can stand on. */
export type AnyStack = Stack | EmbeddedStack;

/** Something the native stack needs and this machine lacks. */
export interface MissingPiece {
  readonly what: string;
  readonly howToInstall: string;
}

/** No stack can be had here. The message names everything that is missing; exit with 2. */
export class StackUnavailableError extends Error {
  readonly exitCode = 2;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StackUnavailableError';
  }
}

/** The one message about all missing pieces. */
export function unavailableBecause(missing: readonly MissingPiece[]): StackUnavailableError {
  const lines = missing.map((piece) => `  - ${piece.what}\n      ${piece.howToInstall}`);
  return new StackUnavailableError(
    `No stack can be started on this machine. Missing:\n${lines.join('\n')}\n` +
      'Or set ROOMCELL_STACK=given with ROOMCELL_KAFKA_BROKERS, ROOMCELL_MYSQL_HOST and ' +
      'ROOMCELL_REDIS_URL to use servers of your own.',
  );
}
