/**
 * Every key of the configuration: its kind, its bounds, its default and what it means. The typed
 * `RoomcellConfig` follows from this tree. Keys have the seeds' style (OCFG, CFG); relations between
 * keys stand in `relations.ts`.
 */
import { cellFields, limitFields, roomFields } from './cell-fields.ts';
import type { ConfigOf, FieldTree } from './field-tree.ts';
import { boolean, choice, duration, integer, list, secret, text } from './fields.ts';
import { displayFields } from './display-fields.ts';
import { leaderboardFields } from './leaderboard-fields.ts';
import { listCacheFields } from './list-cache-fields.ts';
import { outsideFields } from './outside-fields.ts';
import { outboxWorkerFields } from './outbox-worker-fields.ts';
import { retentionFields } from './retention-fields.ts';
import { robotFields } from './robot-fields.ts';
import { databaseName, hostAndPort, oneLine } from './patterns.ts';
import { redisUrl, topicPrefix, wideName } from './patterns.ts';

const kafka = {
  brokers: list({
    about: 'Brokers to begin with, host:port each; needed by drivers: servers.',
    fallback: [],
    min: 1,
    item: hostAndPort,
  }),
  topic_prefix: text({
    about: 'Begins the name of every topic and consumer group of this deployment.',
    fallback: 'room',
    pattern: topicPrefix,
  }),
  commands_partitions: integer({
    about: 'Partitions of the commands topic when it is created; afterwards MySQL says how many.',
    fallback: 16,
    min: 1,
    max: 1024,
  }),
  reply_partitions: integer({
    about: 'Partitions of the reply topic: one per gateway, twice as many as gateways.',
    fallback: 8,
    min: 2,
    max: 1024,
  }),
  event_partitions: integer({
    about: 'Partitions of each event topic.',
    fallback: 8,
    min: 1,
    max: 1024,
  }),
  replication_factor: integer({
    about: 'Copies of every partition.',
    fallback: 3,
    min: 1,
    max: 9,
  }),
  min_insync_replicas: integer({
    about: 'Copies that must have a record before it counts as stored.',
    fallback: 2,
    min: 1,
    max: 9,
  }),
  session_timeout: duration({
    about: 'Silence after which the group gives a member’s partitions to others.',
    fallback: '10s',
    min: '1s',
    max: '5m',
  }),
  heartbeat_interval: duration({
    about:
      'Pace of heartbeats, and so of noticing a rebalance; at most a third of session_timeout.',
    fallback: '150ms',
    min: '50ms',
    max: '1m',
  }),
  rebalance_timeout: duration({
    about: 'Time that members get to join again in a rebalance.',
    fallback: '15s',
    min: '1s',
    max: '10m',
  }),
  request_timeout: duration({
    about: 'Longest wait for a broker’s answer; then its connection is cut.',
    fallback: '5s',
    min: '500ms',
    max: '2m',
  }),
  connection_timeout: duration({
    about: 'Longest wait for a connection.',
    fallback: '3s',
    min: '100ms',
    max: '1m',
  }),
} satisfies FieldTree;

const mysql = {
  host: text({
    about: 'Address of the server; needed by drivers: servers.',
    fallback: '',
    pattern: oneLine,
  }),
  port: integer({ about: 'Port of the server.', fallback: 3306, min: 1, max: 65535 }),
  user: text({
    about: 'Account; needed by drivers: servers.',
    fallback: '',
    pattern: oneLine,
  }),
  password: secret({ about: 'Its password.', minBytes: 1 }),
  database: text({
    about: 'Schema that holds the tables.',
    fallback: 'roomcell',
    pattern: databaseName,
  }),
  pool_size: integer({
    about:
      'Connections for reads and owner rows, and as many for the outbox; commit lanes have their own.',
    fallback: 10,
    min: 2,
    max: 256,
  }),
  connect_timeout: duration({
    about: 'Longest wait for a connection.',
    fallback: '5s',
    min: '100ms',
    max: '1m',
  }),
  migrate_at_start: boolean({
    about: 'Bring the tables up to date before a role starts.',
    fallback: true,
  }),
} satisfies FieldTree;

const redis = {
  url: text({ about: 'Server; needed by drivers: servers.', fallback: '', pattern: redisUrl }),
  password: secret({ about: 'Its password; it must not stand in the URL.', minBytes: 1 }),
  key_prefix: text({
    about: 'Begins every key.',
    fallback: '',
    pattern: { expression: /^[\x21-\x7e]{1,64}$/, words: 'up to 64 printable characters' },
  }),
} satisfies FieldTree;

const gateway = {
  grpc_listen: text({
    about: 'Where the gateway serves gRPC.',
    fallback: '127.0.0.1:7400',
    pattern: hostAndPort,
  }),
  default_deadline: duration({
    about: 'Deadline of a call that names none.',
    fallback: '5s',
    min: '100ms',
    max: '30s',
  }),
  max_deadline: duration({
    about: 'Longest deadline; longer ones are cut to it.',
    fallback: '30s',
    min: '1s',
    max: '5m',
  }),
  heartbeat_fold: duration({
    about: 'Longest time that heartbeats of one partition gather into one record.',
    fallback: '250ms',
    min: '0s',
    max: '5s',
  }),
  heartbeat_fold_items_max: integer({
    about: 'Users in one such record; it is sent at once when it has so many.',
    fallback: 500,
    min: 1,
    max: 10000,
  }),
  heartbeat_waiters_max: integer({
    about: 'Heartbeat calls that may wait; one more is answered GATEWAY_BUSY.',
    fallback: 20000,
    min: 1,
    max: 1000000,
  }),
  room_window: integer({
    about: 'Calls of one room in flight; one more is answered ROOM_BUSY.',
    fallback: 64,
    min: 1,
    max: 10000,
  }),
  pending_calls_max: integer({
    about: 'Calls in flight in all; one more is answered GATEWAY_BUSY.',
    fallback: 20000,
    min: 1,
    max: 1000000,
  }),
  room_reads_max: integer({
    about: 'Rooms rebuilt for a read at the same time; one more is answered GATEWAY_BUSY.',
    fallback: 64,
    min: 1,
    max: 1000,
  }),
  watchers_max: integer({
    about: 'Clients that may watch rooms at the same time; one more is answered GATEWAY_BUSY.',
    fallback: 10000,
    min: 1,
    max: 1000000,
  }),
  watch_resume: duration({
    about: 'How long a watched room may be without an owner before its client is told to go on.',
    fallback: '20s',
    min: '1s',
    max: '10m',
  }),
  busy_retry: duration({
    about: 'Pause that a busy answer asks the caller to make.',
    fallback: '100ms',
    min: '1ms',
    max: '30s',
  }),
  reply_slot_ttl: duration({
    about: 'Validity of the lease on a reply partition; renewed at a third of it.',
    fallback: '30s',
    min: '3s',
    max: '10m',
  }),
} satisfies FieldTree;

const auth = {
  mode: choice({
    about: 'How bearer tokens are checked. off: every call has a service’s rights; loopback only.',
    words: ['hs256', 'jwks', 'off'],
    fallback: 'hs256',
  }),
  hs256_secret: secret({ about: 'Key of HS256 tokens.', minBytes: 32 }),
  jwks_file: text({ about: 'JSON Web Key Set in a file.', fallback: '', pattern: oneLine }),
  jwks_url: text({ about: 'JSON Web Key Set by HTTP.', fallback: '', pattern: oneLine }),
  deployment_app: text({
    about:
      'App whose operators have the whole deployment: they see all partitions and say how those that ' +
      'stand still go on. Empty: nobody by the API, only the command line.',
    fallback: '',
    pattern: wideName,
  }),
} satisfies FieldTree;

/** The whole tree. */
export const configTree = {
  environment: choice({
    about: 'development allows loopback addresses, test tokens and the sandbox.',
    words: ['development', 'production'],
  }),
  drivers: choice({
    about:
      'servers: Kafka, MySQL and Redis. embedded: all three in the memory of one process with several ' +
      'roles; nothing is kept when it ends, and production refuses it.',
    words: ['servers', 'embedded'],
    fallback: 'servers',
  }),
  node_id: text({
    about: 'Identity of this instance: owner of leases and partitions. Empty: from the host name.',
    fallback: '',
    pattern: wideName,
  }),
  advertise_addr: text({
    about: 'Where other nodes reach this one: a private address of this instance, and a port.',
    fallback: '',
    pattern: hostAndPort,
  }),
  deployment_secret: secret({
    about: 'Salts of room passwords are derived from it; the same on every node.',
    minBytes: 32,
  }),
  drain_timeout: duration({
    about: 'Time from SIGTERM until everything in hand must be finished.',
    fallback: '25s',
    min: '1s',
    max: '10m',
  }),
  kafka,
  mysql,
  redis,
  gateway,
  auth,
  ops: {
    listen: text({
      about: 'Where /livez, /readyz and /metrics are served.',
      fallback: '127.0.0.1:7480',
      pattern: hostAndPort,
    }),
  },
  log: {
    level: choice({
      about: 'Least level that is written.',
      words: ['debug', 'info', 'warn', 'error'],
      fallback: 'info',
    }),
  },
  ...roomFields,
  cell: cellFields,
  limits: limitFields,
  outbox_worker: outboxWorkerFields,
  retention: retentionFields,
  list_cache: listCacheFields,
  leaderboard: leaderboardFields,
  display: displayFields,
  robots: robotFields,
  ...outsideFields,
} satisfies FieldTree;

/** The typed configuration: parsed once, checked, never changed afterwards. */
export type RoomcellConfig = ConfigOf<typeof configTree>;
