/** Watched rooms at cells, on the memory twins: what is told, in which order, to whom, and until when. */
import { describe, expect, it } from 'vitest';
import { stepsPerPage } from '../../../src/cell/watch/cell-watches.ts';
import { unconfirmedMaxMs, watchPulseMs } from '../../../src/cell/watch/watch-pulse.ts';
import { waitingStepsMax } from '../../../src/cell/watch/watcher.ts';
import { roomKeyOf, type RoomId, type UserId } from '../../../src/domain/ids.ts';
import { partitionOf } from '../../../src/protocol/partition.ts';
import {
  CellRig,
  createRoomBody,
  joinRoomBody,
  rigApp,
  type RigNode,
} from '../../support/cell-rig.ts';
import { OwnerRowsGate } from '../../support/owner-rows-gate.ts';
import { after, asUser, Listener } from '../../support/room-listener.ts';
import { eventually } from '../../support/stepped-time.ts';

const keyOf = (room: string) => roomKeyOf(rigApp, room as RoomId);
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((go) => setImmediate(go));
}

const create = (rig: CellRig, nodes: readonly RigNode[], room = 'r1') =>
  rig.result(nodes, rig.send(room, 'c1', 'owner', createRoomBody()));
const join = (rig: CellRig, nodes: readonly RigNode[], user: string, id = `j-${user}`) =>
  rig.result(nodes, rig.send('r1', id, user, joinRoomBody(user)));
const kick = (rig: CellRig, nodes: readonly RigNode[], user: string) =>
  rig.result(
    nodes,
    rig.send('r1', `k-${user}`, 'owner', {
      type: 'KickUser',
      userId: user as UserId,
      reason: 'spam',
      expiresAtMs: 0,
    }),
  );
const unban = (rig: CellRig, nodes: readonly RigNode[], user: string) =>
  rig.result(
    nodes,
    rig.send('r1', `ub-${user}`, 'owner', { type: 'UnbanUser', userId: user as UserId }),
  );
const close = (rig: CellRig, nodes: readonly RigNode[]) =>
  rig.result(nodes, rig.send('r1', 'x1', 'owner', { type: 'CloseRoom', reason: 'r', note: 'n' }));

/** Another node takes the partition over, as MySQL knows; nobody tells the former owner. */
function takenOver(rig: CellRig, partition: number): void {
  const row = rig.database.owners.get(partition);
  if (row === undefined) throw new Error('the partition has no owner row');
  const other = { ownerNodeId: 'b', incarnation: 'inc-b', released: false, advertiseAddr: 'b' };
  Object.assign(row, { ...other, epoch: row.epoch + 1n, commitSeq: 0n });
}

async function rigWithRoom(users: readonly string[] = []) {
  const rig = new CellRig(1);
  const node = await rig.startNode('a');
  await create(rig, [node]);
  for (const user of users) await join(rig, [node], user);
  return { rig, node };
}

describe('a watcher', () => {
  it('sees the room, and from then on every version as it is committed, once and in order', async () => {
    const { rig, node } = await rigWithRoom(['u1']);
    const listener = new Listener(node, 'r1');
    await listener.hears('view 2');
    for (const user of ['u2', 'u3', 'u4']) await join(rig, [node], user);
    await listener.hears('step 5 RoomUserJoined');
    expect(listener.lines).toEqual([
      'view 2',
      'step 3 RoomUserJoined',
      'step 4 RoomUserJoined',
      'step 5 RoomUserJoined',
    ]);
    listener.leave();
    expect(await listener.ending).toBe('ended');
  });

  it('is told in the same bytes from memory as from the log', async () => {
    const { rig, node } = await rigWithRoom();
    const live = new Listener(node, 'r1', after(1n));
    await live.hears('resumed 1');
    await join(rig, [node], 'u1');
    await kick(rig, [node], 'u1');
    await live.hears('step 3 RoomUserLeft RoomUserKicked');
    const late = new Listener(node, 'r1', after(1n));
    await late.hears('step 3 RoomUserLeft RoomUserKicked');
    const stepsOf = ({ heard }: Listener) => heard.filter(({ kind }) => kind === 'step');
    expect(stepsOf(late)).toEqual(stepsOf(live));
  });

  it('that knows a version goes on behind it, from the log and then live, without a gap or a repeat', async () => {
    const { rig, node } = await rigWithRoom(['u1', 'u2', 'u3']);
    const listener = new Listener(node, 'r1', after(2n));
    await listener.hears('step 4 RoomUserJoined');
    await join(rig, [node], 'u4');
    await listener.hears('step 5 RoomUserJoined');
    expect(listener.lines[0]).toBe('resumed 4');
    expect(listener.versions).toEqual([3n, 4n, 5n]);
  });

  it('is told of a version without events for clients, too: nothing seems to be missing', async () => {
    const { rig, node } = await rigWithRoom(['u1']);
    const listener = new Listener(node, 'r1');
    await listener.hears('view 2');
    await kick(rig, [node], 'u1');
    await unban(rig, [node], 'u1');
    await listener.hears('step 4');
  });

  it('is never shown what is held back from clients', async () => {
    const { rig, node } = await rigWithRoom();
    const listener = new Listener(node, 'r1');
    await listener.hears('view 1');
    await rig.result(
      node,
      rig.send('r1', 'x1', 'owner', { type: 'CloseRoom', reason: 'r', note: 'complaint 4711' }),
    );
    await listener.hears('step 2 RoomClosed');
    expect(
      JSON.stringify(
        listener.heard.filter(({ kind }) => kind === 'step'),
        (_, held) => (typeof held === 'bigint' ? String(held) : (held as unknown)),
      ),
    ).not.toContain('4711');
  });

  it.each([
    ['ahead of the room', 9n],
    ['that retention has taken from the log', 1n],
  ])('that knows a version %s is shown the room again', async (_, version) => {
    const { rig, node } = await rigWithRoom(['u1', 'u2']);
    for (const row of rig.database.log.values()) {
      if (row.appliedVersion === 2n) Object.assign(row, { appliedVersion: null });
    }
    const listener = new Listener(node, 'r1', after(version));
    await listener.hears('view 3');
    await join(rig, [node], 'u3');
    await listener.hears('step 4 RoomUserJoined');
    expect(listener.versions).toEqual([4n]);
  });

  it('of a room that was never created is refused, and one of a deleted room is told its end', async () => {
    const { rig, node } = await rigWithRoom();
    expect(await new Listener(node, 'nowhere').ending).toBe('ROOM_NOT_FOUND');
    await close(rig, [node]);
    const listener = new Listener(node, 'r1', after(1n));
    await listener.hears('step 2 RoomClosed');
    await rig.result(
      node,
      rig.send('r1', 'd1', 'owner', { type: 'DeleteRoom', reason: '', note: '' }),
    );
    expect(await listener.ending).toBe('ended');
    expect(listener.lines.at(-1)).toBe('end ROOM_CLOSED behind 3');
    const later = new Listener(node, 'r1');
    expect(await later.ending).toBe('ended');
    expect(later.lines).toEqual(['view 3', 'end ROOM_CLOSED behind 3']);
  });
});

describe('while a watch begins', () => {
  it('steps that are committed while a watch begins come once', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate });
    await create(rig, [node]);
    rows.hold();
    const listener = new Listener(node, 'r1', after(1n));
    await eventually('MySQL is asked', () => rows.heldCount === 1);
    await join(rig, [node], 'u1');
    await join(rig, [node], 'u2');
    rows.release();
    await listener.hears('step 3 RoomUserJoined');
    await join(rig, [node], 'u3');
    await listener.hears('step 4 RoomUserJoined');
    expect(listener.lines[0]).toBe('resumed 3');
    expect(listener.versions).toEqual([2n, 3n, 4n]);
  });

  it('a step that is committed before the first message is taken is not missed', async () => {
    const { rig, node } = await rigWithRoom();
    const listener = new Listener(node, 'r1', {}, true);
    await listener.hears('view 1');
    await join(rig, [node], 'u1');
    listener.goOn();
    await listener.hears('step 2 RoomUserJoined');
  });

  it('a reader of the log that is overtaken by commits reads on', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { roomQueueMax: 2_000 } });
    await create(rig, [node]);
    const turns = (from: number, to: number) => {
      let last = '';
      for (let n = from; n < to; n += 1) {
        const title = `title ${n}`;
        last = rig.send('r1', `t${n}`, 'owner', { ...profile, title });
      }
      return rig.result(node, last);
    };
    const first = stepsPerPage + 10;
    await turns(0, first);
    const listener = new Listener(node, 'r1', after(1n), true);
    await listener.hears(`resumed ${first + 1}`);
    const all = first + waitingStepsMax + 50;
    await turns(first, all);
    listener.goOn();
    await listener.hears(`step ${all + 1} RoomProfileUpdated`);
    expect(listener.versions).toEqual(Array.from({ length: all }, (_, n) => BigInt(n + 2)));
  });
});

const profile = {
  type: 'UpdateRoomProfile',
  title: null,
  coverUrl: null,
  announcement: null,
  backgroundUrl: null,
  tags: null,
  ext: null,
} as const;

describe('a user', () => {
  it('is let in by the guard alone (ROOM-20)', async () => {
    const { rig, node } = await rigWithRoom(['u1']);
    await kick(rig, [node], 'u1');
    expect(await new Listener(node, 'r1', asUser('u1')).ending).toBe('USER_BANNED');
    expect(await new Listener(node, 'r1', asUser('u2')).ending).toBe('USER_NOT_PRESENT');
    await close(rig, [node]);
    expect(await new Listener(node, 'r1', asUser('u2')).ending).toBe('ROOM_CLOSED');
  });

  it('that is kicked is told so and nothing more, while others go on', async () => {
    const { rig, node } = await rigWithRoom(['u1', 'u2']);
    const kicked = new Listener(node, 'r1', asUser('u1'));
    const other = new Listener(node, 'r1', asUser('u2'));
    await kicked.hears('view 3');
    await other.hears('view 3');
    void rig.send('r1', 'k1', 'owner', {
      type: 'KickUser',
      userId: 'u1' as UserId,
      reason: '',
      expiresAtMs: 0,
    });
    await join(rig, [node], 'u3');
    expect(await kicked.ending).toBe('USER_BANNED');
    expect(kicked.lines).toEqual(['view 3', 'step 4 RoomUserLeft RoomUserKicked']);
    await other.hears('step 5 RoomUserJoined');
  });

  it('who was away does not see what happened in between', async () => {
    const { rig, node } = await rigWithRoom(['u1']);
    await kick(rig, [node], 'u1');
    await join(rig, [node], 'u2');
    await unban(rig, [node], 'u1');
    await join(rig, [node], 'u1', 'j2');
    const listener = new Listener(node, 'r1', { ...asUser('u1'), ...after(2n) });
    await listener.hears('view 6');
    await join(rig, [node], 'u3');
    await listener.hears('step 7 RoomUserJoined');
    expect(listener.lines).toHaveLength(2);
    const within = new Listener(node, 'r1', { ...asUser('u1'), ...after(6n) });
    await within.hears('step 7 RoomUserJoined');
    expect(within.lines[0]).toBe('resumed 7');
  });
});

describe('limits', () => {
  it('a watcher that leaves too much untaken is ended, and goes on behind what it took', async () => {
    const rig = new CellRig(1);
    const node = await rig.startNode('a', { options: { roomQueueMax: 2_000 } });
    await create(rig, [node]);
    const slow = new Listener(node, 'r1');
    await slow.hears('view 1');
    slow.hold();
    await join(rig, [node], 'u1');
    await slow.hears('step 2 RoomUserJoined');
    const steps = waitingStepsMax + 1;
    let last = '';
    for (let n = 0; n < steps; n += 1) {
      last = rig.send('r1', `t${n}`, 'owner', { ...profile, title: `title ${n}` });
    }
    await rig.result(node, last);
    slow.goOn();
    expect(await slow.ending).toBe('WATCH_TOO_SLOW');
    expect(slow.lines).toHaveLength(2);
    const again = new Listener(node, 'r1', after(2n));
    await again.hears(`step ${steps + 2} RoomProfileUpdated`);
    expect(again.versions).toHaveLength(steps);
  });

  it('more watchers than a room or a node may have are refused', async () => {
    const rig = new CellRig(1);
    const options = { watchersMax: 3, watchersPerRoomMax: 2 };
    const node = await rig.startNode('a', { options });
    await create(rig, [node]);
    await create(rig, [node], 'r2');
    const [first] = [new Listener(node, 'r1'), new Listener(node, 'r1')];
    expect(await new Listener(node, 'r1').ending).toBe('OWNER_BUSY');
    const other = new Listener(node, 'r2');
    await other.hears('view 1');
    expect(await new Listener(node, 'r2').ending).toBe('OWNER_BUSY');
    first?.leave();
    await first?.ending;
    await new Listener(node, 'r1').hears('view 1');
  });
});

describe('the owner', () => {
  it('that loses the partition ends its watches with where to go on', async () => {
    const { rig, node } = await rigWithRoom();
    const listener = new Listener(node, 'r1');
    await listener.hears('view 1');
    await join(rig, [node], 'u1');
    node.source.assign([]);
    expect(await listener.ending).toBe('ended');
    expect(listener.lines.at(-1)).toBe('end NOT_OWNER behind 2');
  });

  it('that drains refuses new watches, tells what it still commits, and says where to go on', async () => {
    const { node } = await rigWithRoom();
    const listener = new Listener(node, 'r1');
    await listener.hears('view 1');
    await node.cell.drain(1_000);
    expect(await listener.ending).toBe('ended');
    expect(listener.lines.at(-1)).toBe('end DRAINING behind 1');
    expect(await new Listener(node, 'r1').ending).toBe('DRAINING');
  });

  it('a watch of a node that lost its partition without noticing ends at the next pulse', async () => {
    const { rig, node } = await rigWithRoom();
    const listener = new Listener(node, 'r1');
    await listener.hears('view 1');
    rig.time.advance(watchPulseMs);
    await eventually('the owner says that it is', () =>
      listener.heard.some(({ kind }) => kind === 'alive'),
    );
    takenOver(rig, 0);
    await someTurns();
    rig.time.advance(watchPulseMs);
    expect(await listener.ending).toBe('ended');
    expect(listener.lines.at(-1)).toBe('end NOT_OWNER behind 1');
  });

  it('that cannot ask MySQL any more sends its watchers elsewhere after a while', async () => {
    const rig = new CellRig(1);
    const rows = new OwnerRowsGate();
    const node = await rig.startNode('a', { gate: rows.gate });
    await create(rig, [node]);
    const listener = new Listener(node, 'r1');
    await listener.hears('view 1');
    rows.isAway = true;
    for (let ms = 0; ms <= unconfirmedMaxMs + watchPulseMs; ms += watchPulseMs) {
      rig.time.advance(watchPulseMs);
      await someTurns();
    }
    expect(await listener.ending).toBe('ended');
    expect(listener.lines).toEqual(['view 1', 'end UNAVAILABLE behind 1']);
  });

  it('is asked before the first word: a node that lost its partition tells nothing', async () => {
    const { rig, node } = await rigWithRoom();
    takenOver(rig, 0);
    const listener = new Listener(node, 'r1');
    expect(await listener.ending).toBe('NOT_OWNER');
    expect(listener.heard).toEqual([]);
  });
});

describe('a node that is not the owner', () => {
  const two = async () => {
    const rig = new CellRig(2);
    const a = await rig.startNode('a', { assign: [0] });
    const b = await rig.startNode('b', { assign: [1] });
    const at = partitionOf(keyOf('r1'), 2);
    const [owner, other] = at === 0 ? [a, b] : [b, a];
    await create(rig, [a, b]);
    return { rig, owner, other, nodes: [a, b] };
  };

  it('passes a watch on, once', async () => {
    const { rig, other, nodes } = await two();
    const listener = new Listener(other, 'r1');
    await listener.hears('view 1');
    await join(rig, nodes, 'u1');
    await listener.hears('step 2 RoomUserJoined');
    listener.leave();
    expect(await listener.ending).toBe('ended');
    expect(await new Listener(other, 'r1', { forwardedBy: 'c' }).ending).toBe('NOT_OWNER');
  });

  it('passes on how the owner ends it', async () => {
    const { owner, other } = await two();
    const listener = new Listener(other, 'r1');
    await listener.hears('view 1');
    await owner.cell.drain(1_000);
    expect(await listener.ending).toBe('ended');
    expect(listener.lines.at(-1)).toBe('end DRAINING behind 1');
  });
});
