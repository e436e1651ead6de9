/** What stands in `docs/examples` does what it says, beside the product and without its code. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { topicNames } from '../../src/protocol/topics.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { allDelivered, committedEvents } from './support/observe.ts';
import { RoomPlayer } from './support/play.ts';

const run = promisify(execFile);

interface ReadLine {
  readonly key: { readonly appCode: string; readonly roomId: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly envelope: {
    readonly eventId: string;
    readonly appCode: string;
    readonly eventType: string;
    readonly roomVersion: string;
  };
  readonly event: Readonly<Record<string, unknown>> | null;
}

let fleet: Fleet;
let client: FleetClient;

beforeAll(async () => {
  fleet = await Fleet.open('example', {});
  const all = ['gateway', 'cell', 'sandbox', 'relay', 'adapter-im', 'adapter-activity'] as const;
  const process = await fleet.start('all', [...all]);
  await process.ready();
  client = fleet.connect(process);
});
afterAll(async () => {
  await fleet.close();
});

it('any Kafka consumer reads the events of a room with the schemas of the repository alone (PUB-3, OUT-24)', async () => {
  const play = new RoomPlayer(fleet, client, 'r1');
  await play.create('c1');
  for (const user of ['u1', 'u2']) await play.join(`j-${user}`, user);
  await play.micUp('m1', 'u1', 1);
  await play.leave('l1', 'u1');
  await allDelivered(fleet);
  const committed = (await committedEvents(fleet, 'activity')).get('r1') ?? [];
  expect(committed.length).toBeGreaterThan(4);
  const { activity } = topicNames(fleet.space.topic('room')).events;
  const { stdout } = await run(
    process.execPath,
    [
      ...['docs/examples/read-room-events.mjs', '--brokers', fleet.space.kafkaBrokers.join()],
      ...['--topic', activity, '--group', `${fleet.space.name}.example`],
      ...['--count', String(committed.length)],
    ],
    { timeout: 60_000 },
  );
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ReadLine);
  expect(lines.map(({ envelope }) => envelope.eventId)).toEqual(committed);
  for (const { key, headers, envelope, event } of lines) {
    expect(key).toEqual({ appCode: fleetApp, roomId: 'r1' });
    expect(envelope.appCode).toBe(fleetApp);
    expect(envelope.roomVersion).toMatch(/^[1-9][0-9]*$/);
    expect(Object.keys(event ?? {})).toEqual([`roomcell.${envelope.eventType}`]);
    expect(headers['rc-crc32c']).toMatch(/^[0-9a-f]{8}$/);
    expect(headers['rc-outbox-row-id']).toMatch(/^[0-9]+$/);
  }
  expect(stdout).not.toContain('passwordHash');
});
