/**
 * The cell process dies, or loses an answer, at the worst places. Whatever happens, the same
 * command id answers the same result record, there is one log row, and one id per event.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, type FleetClient } from './support/fleet.ts';
import { RoomPlayer } from './support/play.ts';

let fleet: Fleet;
let client: FleetClient;

beforeAll(async () => {
  fleet = await Fleet.open('crash');
  const gateway = await fleet.start('gateway-1', ['gateway']);
  await gateway.ready();
  client = fleet.connect(gateway);
});
afterAll(async () => {
  await fleet.close();
});

/** Everything stored about one command, as an observer of the database sees it. */
async function rowsOf(
  room: string,
  commandId: string,
): Promise<{ results: string[]; events: string[] }> {
  const log = await fleet.sql(
    'SELECT HEX(result) AS result, applied_version AS v FROM room_command_log ' +
      'WHERE room_id = ? AND command_id = ?',
    [room, commandId],
  );
  const version = String(log[0]?.['v']);
  const events = await fleet.sql(
    'SELECT event_id FROM room_events WHERE room_id = ? AND room_version = ?',
    [room, version],
  );
  return {
    results: log.map((row) => String(row['result'])),
    events: events.map((row) => String(row['event_id'])),
  };
}

describe('a cell that is killed', () => {
  it('between COMMIT and reply loses nothing: the same id answers the stored result', async () => {
    const doomed = await fleet.start('cell-a', ['cell'], {
      faultAt: {
        point: 'cell.after_commit_before_reply',
        pass: 1,
        action: 'kill',
        armedBy: 'commit',
      },
    });
    await doomed.ready();
    const room = new RoomPlayer(fleet, client, 'killed-after-commit');
    await room.create('c1');
    fleet.arm('commit');
    const joining = room.join('j1', 'u1');
    expect((await doomed.exited).signal).toBe('SIGKILL');
    const before = await rowsOf('killed-after-commit', 'j1');
    expect(before.results).toHaveLength(1);
    const next = await fleet.start('cell-a', ['cell']);
    const joined = await joining;
    expect(joined).toMatchObject({ applied: true, roomVersion: 2n, replayed: true });
    expect(await rowsOf('killed-after-commit', 'j1')).toEqual(before);
    expect(before.events).toHaveLength(1);
    await next.terminate();
  });

  it('between reply and Kafka’s commit executes nothing again', async () => {
    const doomed = await fleet.start('cell-a', ['cell'], {
      faultAt: {
        point: 'cell.after_reply_before_kafka_commit',
        pass: 1,
        action: 'kill',
        armedBy: 'hint',
      },
    });
    await doomed.ready();
    const room = new RoomPlayer(fleet, client, 'killed-before-hint');
    fleet.arm('hint');
    await room.create('c1');
    await doomed.exited;
    const before = await rowsOf('killed-before-hint', 'c1');
    const next = await fleet.start('cell-a', ['cell']);
    await next.ready();
    const again = await room.create('c1');
    expect(again).toMatchObject({ applied: true, roomVersion: 1n, replayed: true });
    const joined = await room.join('j1', 'u1');
    expect(joined).toMatchObject({ applied: true, roomVersion: 2n, replayed: false });
    expect(await rowsOf('killed-before-hint', 'c1')).toEqual(before);
    expect((await next.terminate()).code).toBe(0);
  });
});

describe('a COMMIT whose answer is cut', () => {
  it('is read back and answered once, with one log row and one event id', async () => {
    const cell = await fleet.start('cell-a', ['cell']);
    await cell.ready();
    const room = new RoomPlayer(fleet, client, 'cut-commit');
    await room.create('c1');
    const cut = fleet.mysqlProxy.swallow({
      watch: 'toServer',
      matches: (chunk) => chunk.includes('COMMIT') && !chunk.includes('BEGIN'),
    });
    const joining = room.join('j1', 'u1');
    await cut.swallowed;
    cut.cutMatched();
    const joined = await joining;
    expect(joined).toMatchObject({ applied: true, roomVersion: 2n });
    await cell.logged('the read-back', (line) => String(line['msg']).includes('COMMIT is unknown'));
    const rows = await rowsOf('cut-commit', 'j1');
    expect(rows.results).toHaveLength(1);
    expect(rows.events).toHaveLength(1);
    const again = await room.join('j1', 'u1');
    expect(again).toMatchObject({ applied: true, roomVersion: 2n, replayed: true });
    expect((await cell.terminate()).code).toBe(0);
  });
});
