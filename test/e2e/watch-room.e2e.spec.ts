/**
 * Watched rooms over real processes: commands run over two cells while owners are killed, stopped and
 * frozen, and gateways go. A client that goes on as the documents say hears every version once.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { Fleet, fleetApp, type FleetClient } from './support/fleet.ts';
import { failureOf } from './support/observe.ts';
import { bothOwn, owners, partitionOfRoom, roomOf } from './support/ownership.ts';
import { RoomPlayer } from './support/play.ts';
import type { RoleProcess } from './support/role-process.ts';
import { RoomWatching } from './support/watching.ts';

/** Far below the drain timeout of 25 s, far above what a loaded machine needs. */
const promptMs = 15_000;

let fleet: Fleet;
let client: FleetClient;
let gateway: RoleProcess;
let cellA: RoleProcess;
let cellB: RoleProcess;
const watchers: RoomWatching[] = [];

beforeAll(async () => {
  fleet = await Fleet.open('watch');
  gateway = await fleet.start('gateway-1', ['gateway']);
  cellA = await fleet.start('cell-a', ['cell']);
  cellB = await fleet.start('cell-b', ['cell']);
  await Promise.all([gateway, cellA, cellB].map((started) => started.ready()));
  client = fleet.connect(gateway);
});
afterAll(async () => {
  await Promise.all(watchers.map((watching) => watching.stop()));
  await fleet.close();
});

/** A room with its creator's command done, and somebody who watches it. */
async function watchedRoom(room: string) {
  const play = new RoomPlayer(fleet, client, room);
  await play.create('c1');
  const watching = new RoomWatching(fleet, client, room).start();
  watchers.push(watching);
  await watching.reaches(1n);
  return { play, watching };
}

async function ownedBy(node: string, room: string): Promise<void> {
  await waitUntil(
    `${node} owns ${room}`,
    async () => (await owners(fleet)).get(partitionOfRoom(room)) === node,
    { limitMs: 60_000, everyMs: 100 },
  );
}

/** Everything was told once, in order, and nothing that is not stored. */
async function expectWhole(watching: RoomWatching, version: bigint): Promise<void> {
  await watching.reaches(version);
  expect(watching.faults).toEqual([]);
  expect(watching.told).toEqual(await watching.stored());
  expect(watching.views).toBe(1);
}

describe('with two cells', () => {
  it('a watched room is told version by version while its owner is stopped and killed', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const here = await watchedRoom(roomOf(map, 'cell-a', 'here'));
    const moved = roomOf(map, 'cell-b', 'moved');
    const there = await watchedRoom(moved);
    const both = [here, there];
    for (const { play } of both)
      for (const user of ['u1', 'u2']) await play.join(`j-${user}`, user);
    await Promise.all(both.map(({ watching }) => watching.reaches(3n)));
    const playing = Promise.all(
      both.map(async ({ play }) => {
        for (let n = 0; n < 20; n += 1) {
          await play.leave(`l${n}`, 'u1');
          await play.join(`b${n}`, 'u1');
        }
      }),
    );
    await Promise.all(both.map(({ watching }) => watching.reaches(6n)));
    await cellB.kill();
    await ownedBy('cell-a', moved);
    await playing;
    for (const { watching } of both) await expectWhole(watching, 43n);
    // The client itself noticed nothing but a pause.
    expect(there.watching.ends).toEqual([]);

    cellB = await (await fleet.start('cell-b', ['cell'])).ready();
    await bothOwn(fleet, 'cell-a', 'cell-b');
    for (const { play } of both) await play.leave('ll', 'u2');
    expect((await cellA.terminate()).code).toBe(0);
    for (const { play } of both) await play.join('jl', 'u2');
    for (const { watching } of both) await expectWhole(watching, 45n);
    await Promise.all(both.map(({ watching }) => watching.stop()));
    cellA = await (await fleet.start('cell-a', ['cell'])).ready();
  });

  it('a frozen owner is left for the next one, and thawed it tells nothing wrong', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const room = roomOf(map, 'cell-b', 'frozen');
    const { play, watching } = await watchedRoom(room);
    await play.join('j1', 'u1');
    await watching.reaches(2n);
    cellB.freeze();
    await ownedBy('cell-a', room);
    await play.leave('l1', 'u1');
    await watching.reaches(3n);
    cellB.thaw();
    await play.join('j2', 'u1');
    await expectWhole(watching, 4n);
    await watching.stop();
    await bothOwn(fleet, 'cell-a', 'cell-b');
  });

  it('a user who is kicked is told so as the last thing (ROOM-20)', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const room = roomOf(map, 'cell-a', 'kicked');
    const play = new RoomPlayer(fleet, client, room);
    await play.create('c1');
    const request = { appCode: fleetApp, roomId: room };
    const listen = async (user: string, heard: string[]): Promise<void> => {
      const token = await fleet.token(user);
      for await (const { message } of client.watches.watchRoom(request, { token })) {
        if (message.case === 'snapshot') heard.push('view');
        if (message.case === 'step') heard.push(...message.value.events.map(({ type }) => type));
      }
    };
    expect((await failureOf(listen('u1', []))).reason).toBe('USER_NOT_PRESENT');
    await play.join('j1', 'u1');
    const heard: string[] = [];
    const ending = failureOf(listen('u1', heard));
    await waitUntil('the view has come', () => Promise.resolve(heard.length > 0));
    const meta = { ...request, commandId: 'k1', actorUserId: 'owner' };
    const options = { timeoutMs: 10_000, token: await fleet.token('owner') };
    await client.commands.kickUser({ meta, userId: 'u1', reason: 'spam' }, options);
    expect((await ending).reason).toBe('USER_BANNED');
    expect(heard).toEqual(['view', 'RoomUserLeft', 'RoomUserKicked']);
  });
});

describe('a gateway that stops', () => {
  /** A process that watches; resolves when it has heard the first message. */
  async function watcherProcess(room: string, how: 'stay' | 'freeze'): Promise<ChildProcess> {
    const script = new URL('../../dist/test/e2e/processes/watching-client.js', import.meta.url);
    const token = await fleet.token('backend', 'service');
    const address = `127.0.0.1:${gateway.grpcPort}`;
    const args = [script.pathname, address, token, fleetApp, room, how];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const isThere = () => lines.includes('watching') && (how === 'stay' || isStopped(child.pid));
    await waitUntil(`a client watches (${how})`, () => Promise.resolve(isThere()), {
      limitMs: 30_000,
    });
    return child;
  }

  it('sends who listens on, and waits neither for the dead nor for the frozen', async () => {
    const map = await bothOwn(fleet, 'cell-a', 'cell-b');
    const room = roomOf(map, 'cell-a', 'stopped');
    const { play, watching } = await watchedRoom(room);
    const [killed, frozen] = await Promise.all([
      watcherProcess(room, 'stay'),
      watcherProcess(room, 'freeze'),
    ]);
    try {
      killed.kill('SIGKILL');
      await play.join('j1', 'u1');
      await watching.reaches(2n);
      const next = await (await fleet.start('gateway-2', ['gateway'])).ready();
      const other = fleet.connect(next);
      watching.moveTo(other);
      const sinceMs = performance.now();
      expect((await gateway.terminate()).code).toBe(0);
      expect(performance.now() - sinceMs).toBeLessThan(promptMs);
      await new RoomPlayer(fleet, other, room).leave('l1', 'u1');
      await expectWhole(watching, 3n);
      expect(watching.ends).toEqual(['DRAINING']);
    } finally {
      for (const child of [killed, frozen]) child.kill('SIGKILL');
      await watching.stop();
    }
  });
});

function isStopped(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim().startsWith('T');
}
