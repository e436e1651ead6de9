/**
 * An upgrade as operators do it, cells first and gateways behind them: nodes of release 0.2.0 (a
 * stand-in with its schemas, see former-release.ts) and of this one serve the same rooms side by
 * side, and hand them to one another, until the schema level is raised and the former ones leave.
 */
import { toJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RoomSnapshotSchema } from '../../src/drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { createCodec } from '../../src/protocol/codec.ts';
import { commandLevel, schemaLevel } from '../../src/protocol/schema-levels.ts';
import { waitUntil } from '../support/wait-until.ts';
import { formerLevel, makeFormerRelease, type FormerRelease } from './support/former-release.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { GiftPlayer } from './support/gift-play.ts';
import { allDelivered, countOf, failureOf, logOf, recordsProduced } from './support/observe.ts';
import { bothOwn, owners } from './support/ownership.ts';
import { RoomPlayer, untilAnswered } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';

const timeoutMs = 20_000;
const room = 'evening';
const place = { appCode: fleetApp, roomId: room };

let former: FormerRelease;
let fleet: Fleet;
/** Through a gateway of the former release, and of this one. */
let formerClient: FleetClient;
let client: FleetClient;
let formerCell: RoleProcess;
let cell: RoleProcess;
let play: RoomPlayer;

beforeAll(async () => {
  former = makeFormerRelease();
  fleet = await Fleet.open('releases', {
    ROOMCELL_SNAPSHOT_EVERY_N: '4',
    ROOMCELL_MIC_PUBLISH_TIMEOUT: '10m',
    ROOMCELL_CLOSE_GRACE: '1h',
  });
  const { root } = former;
  const outside = ['relay', 'adapter-im', 'adapter-activity'] as const;
  const started = [
    await fleet.start('sandbox', ['sandbox']),
    await fleet.start('outside', outside, { root }),
    await fleet.start('gateway-former', ['gateway'], { root }),
    await fleet.start('cell-former', ['cell'], { root }),
  ];
  for (const each of started) await each.ready();
  formerCell = started[3] as RoleProcess;
  formerClient = fleet.connect(started[2] as RoleProcess);
  play = new RoomPlayer(fleet, formerClient, room);
});
afterAll(async () => {
  await fleet.close();
  former.remove();
});

/** Starts a cell as the only one: the other one has left in good order. */
async function handOver(from: RoleProcess, to: Promise<RoleProcess>): Promise<RoleProcess> {
  const next = await (await to).ready();
  await from.terminate();
  await waitUntil(
    `${next.name} owns every partition`,
    async () => [...(await owners(fleet)).values()].every((name) => name === next.name),
    { limitMs: 60_000, everyMs: 100 },
  );
  return next;
}

const startFormer = () => fleet.start('cell-former', ['cell'], { root: former.root });
const startPresent = () => fleet.start('cell-present', ['cell']);

/** The room as its owner shows it, as plain data. */
async function seenThrough(through: FleetClient): Promise<Record<string, unknown>> {
  const call = { timeoutMs, token: await fleet.token('owner') };
  const { snapshot } = await through.queries.getRoomSnapshot(place, call);
  if (snapshot === undefined) throw new Error('an answer without a snapshot');
  const plain = toJson(RoomSnapshotSchema, snapshot, { alwaysEmitImplicit: true });
  return plain as Record<string, unknown>;
}

/** Rebuilds the room from its log alone and from its newest snapshot, in that gateway. */
async function verifiedBy(through: FleetClient) {
  const call = { timeoutMs, token: await fleet.token('op-1', 'operator') };
  return through.admin.verifyRoom(place, call);
}

/** Who wrote the events of each version: true where it was with this release's schema. */
async function writtenByThisRelease(): Promise<Map<string, boolean>> {
  const [own] = createCodec().writerSchemas.filter(({ name }) => name === 'LoggedEvents');
  const rows = await fleet.sql(
    'SELECT applied_version AS version, LOWER(HEX(SUBSTRING(events, 3, 8))) AS fingerprint ' +
      'FROM room_command_log WHERE room_id = ? AND events IS NOT NULL ORDER BY applied_version',
    [room],
  );
  return new Map(
    rows.map((row) => [String(row['version']), row['fingerprint'] === own?.fingerprint]),
  );
}

const levelOfDeployment = () => countOf(fleet, 'SELECT level AS n FROM schema_level');

async function byOwner(commandId: string) {
  const meta = { ...place, commandId, actorUserId: 'owner' };
  return { meta, call: { timeoutMs, token: await fleet.token('owner') } };
}

async function kick(commandId: string) {
  const { meta, call } = await byOwner(commandId);
  return client.commands.kickUser({ meta, userId: 'u3', reason: 'noise' }, call);
}

async function close(commandId: string) {
  const { meta, call } = await byOwner(commandId);
  return client.commands.closeRoom({ meta, reason: 'the evening is over' }, call);
}

describe('nodes of two releases on one stack', () => {
  it('hand a room to the newer release, which writes nothing above the level', async () => {
    await play.create('c1');
    for (const user of ['u1', 'u2', 'u3']) await play.join(`j-${user}`, user);
    await play.micUp('m-u1', 'u1', 1);
    const before = await seenThrough(formerClient);

    cell = await handOver(formerCell, startPresent());
    expect(await seenThrough(formerClient)).toEqual(before);
    await play.join('j-u4', 'u4');
    await play.micUp('m-u2', 'u2', 2);
    await play.leave('l-u1', 'u1');
    const gifts = new GiftPlayer(fleet, formerClient);
    const given = await gifts.give(room, 'g1', { from: 'u2', to: ['u3'] });
    expect(given.kind).toBe('given');
    const byThis = [...(await writtenByThisRelease()).values()];
    expect(byThis).toEqual([...Array<boolean>(5).fill(false), ...Array<boolean>(4).fill(true)]);
    expect(await levelOfDeployment()).toBe(formerLevel);
  });

  it('refuse what came with the newer one, by name, and keep the id free', async () => {
    const gateway = await (await fleet.start('gateway-present', ['gateway'])).ready();
    client = fleet.connect(gateway);
    const produced = await recordsProduced(fleet);
    expect(await failureOf(kick('k1'))).toMatchObject({
      reason: 'NOT_YET_ENABLED',
      facts: { level: String(formerLevel), needed_level: String(commandLevel('KickUser')) },
    });
    expect(await recordsProduced(fleet)).toBe(produced);
    // A command that both know, with an event that only one knows.
    expect(await failureOf(close('x1'))).toMatchObject({ reason: 'NOT_YET_ENABLED' });
    const logged = (await logOf(fleet, room)).map(({ commandId }) => commandId);
    expect(logged).not.toContain('k1');
    expect(logged).not.toContain('x1');
  });

  it('hand it back: the former release reads all that the newer one wrote and goes on', async () => {
    const before = await seenThrough(client);
    formerCell = await handOver(cell, startFormer());
    expect(await seenThrough(client)).toEqual(before);
    expect(await verifiedBy(formerClient)).toMatchObject({ equal: true, difference: '' });
    await play.join('j-u5', 'u5');
    expect([...(await writtenByThisRelease()).values()].at(-1)).toBe(false);
    expect(await verifiedBy(client)).toMatchObject({ equal: true, difference: '' });
    // Relay and adapters are of the former release and meet the envelopes of both.
    await allDelivered(fleet);
  });

  it('part when the level is raised: the former one leaves and says why', async () => {
    cell = await (await startPresent()).ready();
    await bothOwn(fleet, formerCell.name, cell.name);
    expect(await fleet.roomcell('schema-level', 'raise')).toBe(0);
    expect(await levelOfDeployment()).toBe(schemaLevel);
    await waitUntil(
      'the former release owns nothing',
      async () => ![...(await owners(fleet)).values()].includes(formerCell.name),
      { limitMs: 60_000, everyMs: 100 },
    );
    const readiness = await formerCell.readyz();
    expect(readiness?.status).toBe(503);
    expect(readiness?.body).toContain('RELEASE_TOO_OLD');
    // The id that was refused is free; the cell takes the command as soon as it has seen the level.
    expect(await untilAnswered('k1', () => kick('k1'))).toMatchObject({ applied: true });
    expect((await logOf(fleet, room)).at(-1)).toMatchObject({ commandId: 'k1', type: 'KickUser' });
    expect(await verifiedBy(client)).toMatchObject({ equal: true, difference: '' });
  });
});
