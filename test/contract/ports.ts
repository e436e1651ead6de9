/**
 * Where each port is held to its promises: the suites, and the specs that run them on the real driver
 * and on the twin in memory. `ports.unit.spec.ts` keeps the table and the files alike.
 */
import type { HeldPort, PortTable } from '../support/port-rules.ts';

const fromMemory = (name: string): string => `unit/drivers/memory/${name}.unit.spec.ts`;

/** A port of the log. */
const log = (suites: readonly string[], exempt?: HeldPort['exempt']): HeldPort => ({
  suites,
  real: ['contract/kafka-log.contract.spec.ts'],
  twin: [fromMemory('memory-log')],
  ...(exempt === undefined ? {} : { exempt }),
});

/** A port of the database, whose specs on both sides bear one name. */
const database = (subject: string, suites: readonly string[]): HeldPort => ({
  suites,
  real: [`contract/mysql-${subject}.contract.spec.ts`],
  twin: [fromMemory(`memory-${subject}`)],
});

/** A port whose real driver needs no server. */
const local = (suite: string, real: string, twin: string): HeldPort => ({
  suites: [suite],
  real: [`unit/drivers/${real}.unit.spec.ts`],
  twin: [fromMemory(twin)],
});

/** See the file header. */
export const ports: PortTable = {
  'activity-client': {
    suites: ['activity-client-contract'],
    real: ['contract/deliveries.contract.spec.ts'],
    twin: [fromMemory('memory-deliveries')],
  },
  'board-sums': database('gifts', ['board-sums-contract']),
  clock: local('clock-contract', 'system/system-drivers', 'virtual-time'),
  'command-sink': log(['command-sink-contract']),
  'command-source': log(['command-source-contract', 'command-group-contract'], {
    CommandSourceHandlers: 'the cell implements it: what a source calls when something happens',
  }),
  'commit-lane': {
    suites: ['commit-lane-contract', 'commit-lane-rows-contract', 'commit-lane-gifts-contract'],
    real: ['contract/mysql-partitions.contract.spec.ts', 'contract/mysql-gifts.contract.spec.ts'],
    twin: [fromMemory('memory-partitions'), fromMemory('memory-gifts')],
  },
  'display-sink': log(['display-log-contract']),
  'display-source': log(['display-log-contract']),
  'event-sink': log(['event-log-contract']),
  'event-source': log(['event-log-contract']),
  'gift-catalogue': database('gifts', ['gift-catalogue-contract']),
  'robot-pool': database('robots', ['robot-pool-contract']),
  'rocket-rules-store': database('gifts', ['rocket-rules-contract']),
  'im-client': {
    suites: ['im-client-contract'],
    real: ['contract/deliveries.contract.spec.ts'],
    twin: [fromMemory('memory-deliveries')],
  },
  'lease-directory': {
    suites: ['lease-directory-contract'],
    real: ['contract/redis.contract.spec.ts'],
    twin: [fromMemory('memory-lease-directory')],
  },
  log: local('log-contract', 'pino/pino-log', 'memory-observers'),
  metrics: local('metrics-contract', 'prometheus/prometheus-metrics', 'memory-observers'),
  'node-registry': database('nodes', ['node-registry-contract']),
  'operator-api': 'like room-api: what operators may do, for its own role',
  'replay-store': database('replays', ['replay-store-contract']),
  'retention-store': database('retention', ['retention-store-contract']),
  'operator-store': database('operators', ['operator-store-contract']),
  'outbox-store': database('outbox', [
    'outbox-claim-contract',
    'outbox-finish-contract',
    'outbox-block-contract',
    'outbox-together-contract',
  ]),
  'owner-reads': {
    suites: ['owner-reads-contract'],
    real: ['unit/drivers/grpc/owner-reads-over-grpc.unit.spec.ts'],
    twin: [fromMemory('memory-reads-network')],
  },
  'partition-stops': database('partitions', ['partition-stops-contract']),
  'partition-store': database('partitions', [
    'partition-store-contract',
    'stalled-takeovers-contract',
  ]),
  passwords: local('passwords-contract', 'scrypt/scrypt-passwords', 'memory-access'),
  random: local('random-contract', 'system/system-drivers', 'seeded-random'),
  'reply-sink': log(['reply-log-contract']),
  'reply-slots': database('rooms', ['reply-slots-contract']),
  'reply-source': log(['reply-log-contract']),
  'room-watch': {
    suites: ['room-watch-contract'],
    real: ['unit/drivers/grpc/owner-reads-over-grpc.unit.spec.ts'],
    twin: [fromMemory('memory-reads-network')],
  },
  'room-api': 'the face of the gateway towards transports: a stage implements it, drivers call it',
  'room-read-api': 'like room-api: the reads of the gateway, split off for their number',
  'rocket-scheduler': {
    suites: ['rocket-scheduler-contract'],
    real: ['contract/redis.contract.spec.ts'],
    twin: [fromMemory('memory-rocket-scheduler')],
  },
  'room-gift-leaderboard': {
    suites: ['room-gift-leaderboard-contract'],
    real: ['contract/redis.contract.spec.ts'],
    twin: [fromMemory('memory-room-gift-leaderboard')],
  },
  'room-list-cache': {
    suites: ['room-list-cache-contract'],
    real: ['contract/redis.contract.spec.ts'],
    twin: [fromMemory('memory-room-list-cache')],
  },
  'room-queries': database('rooms', ['room-queries-contract']),
  'room-reader': database('rooms', ['room-reader-contract']),
  'rtc-tickets': local(
    'rtc-tickets-contract',
    'tencent-rtc/tencent-rtc-tickets',
    'memory-rtc-tickets',
  ),
  'rtc-events': 'like room-api: what the RTC service may tell, for its own role',
  'rtc-user-remover': local(
    'rtc-user-remover-contract',
    'tencent-rtc/tencent-rtc-remover',
    'memory-rtc-remover',
  ),
  'schema-registry': database('rooms', ['schema-registry-contract']),
  'settlement-store': database('gifts', ['settlement-store-contract']),
  'snapshot-store': database('rooms', ['snapshot-store-contract']),
  timers: local('timers-contract', 'system/system-drivers', 'virtual-time'),
  'token-verifier': local('token-verifier-contract', 'jwt/token-verifier', 'memory-access'),
  trace: local('trace-contract', 'system/system-drivers', 'memory-observers'),
  wake: {
    suites: ['wake-contract'],
    real: ['contract/redis.contract.spec.ts'],
    twin: [fromMemory('memory-wake')],
  },
  'lucky-gift-client': {
    suites: ['lucky-gift-client-contract'],
    real: ['unit/drivers/grpc/lucky-gift-over-grpc.unit.spec.ts'],
    twin: [fromMemory('lucky-gifts')],
  },
  'lucky-gift-send-locker': {
    suites: ['lucky-gift-send-locker-contract'],
    real: ['contract/redis.contract.spec.ts'],
    twin: [fromMemory('lucky-gifts')],
  },
  wallet: {
    suites: ['wallet-contract', 'wallet-fault-contract', 'wallet-prize-contract'],
    real: ['unit/drivers/grpc/wallet-over-grpc.unit.spec.ts'],
    twin: [fromMemory('wallet')],
  },
};
