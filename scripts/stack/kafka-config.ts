/**
 * The broker's settings as text: one node that is broker and controller at once.
 */

/** One more way in for clients: a proxy listens on `advertisedPort` and leads to `listenPort`. */
export interface BrokerDoor {
  readonly listenPort: number;
  readonly advertisedPort: number;
}

/** Ports and folder of one broker. */
export interface KafkaLayout {
  readonly dataFolder: string;
  readonly listenPort: number;
  /** What clients are told to connect to; differs from `listenPort` behind a proxy. */
  readonly advertisedPort: number;
  readonly directPort: number;
  readonly controllerPort: number;
  /** Further ways in, each with a listener of its own. */
  readonly doors: readonly BrokerDoor[];
}

/** server.properties for `layout`. */
export function brokerProperties(layout: KafkaLayout): string {
  const { listenPort, advertisedPort, directPort, controllerPort, doors } = layout;
  const host = '127.0.0.1';
  const ofDoors = (port: keyof BrokerDoor): string =>
    doors.map((door, at) => `,DOOR${at + 1}://${host}:${door[port]}`).join('');
  const settings: Readonly<Record<string, string | number | boolean>> = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${host}:${controllerPort}`,
    listeners:
      `CLIENT://${host}:${listenPort},DIRECT://${host}:${directPort},` +
      `CONTROLLER://${host}:${controllerPort}${ofDoors('listenPort')}`,
    // A client goes on at the address advertised on the listener it came in by: behind a proxy
    // CLIENT stays behind it, DIRECT never passes it.
    'advertised.listeners':
      `CLIENT://${host}:${advertisedPort},DIRECT://${host}:${directPort}` +
      ofDoors('advertisedPort'),
    'listener.security.protocol.map':
      'CLIENT:PLAINTEXT,DIRECT:PLAINTEXT,CONTROLLER:PLAINTEXT' +
      doors.map((_, at) => `,DOOR${at + 1}:PLAINTEXT`).join(''),
    'inter.broker.listener.name': 'DIRECT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': layout.dataFolder,
    // A topic exists because a migration made it, never because somebody misspelt a name.
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 2,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'group.initial.rebalance.delay.ms': 0,
    // Lets a test ask for a short session; what a deployment asks for is unchanged by it.
    'group.min.session.timeout.ms': 500,
    // A killed broker's new start is refused until the controller gives up its old session.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
    'num.network.threads': 2,
    'num.io.threads': 4,
  };
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** log4j2.properties: warnings and errors to standard output, which goes to the log file. */
export const BROKER_LOGGING = `
rootLogger.level = WARN
rootLogger.appenderRef.out.ref = OUT
appender.out.type = Console
appender.out.name = OUT
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %c{1} %m%n
`;
