/** The judge of rebuilt states, before doctored runs. */
import { describe } from 'vitest';
import type { CheckedWorld } from '../../../simulation/checkers/checker.ts';
import { rebuiltState } from '../../../simulation/checkers/rebuilt-state.ts';
import { codec, editRow, isRowOf, itSees } from './doctoring.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();

type Snapshots = CheckedWorld['database']['snapshots'];

/** Each snapshot with another title, as bytes that the product could have written. */
function retitled(snapshots: Snapshots): void {
  snapshots.forEach((rows, key) => {
    snapshots.set(
      key,
      rows.map((row) => ({ ...row, bytes: retitledBytes(row.bytes) })),
    );
  });
}

function retitledBytes(bytes: Uint8Array): Uint8Array {
  const decoded = codec.decodeSnapshot(bytes);
  if (!decoded.ok) throw new Error(decoded.fault);
  const { state } = decoded.value;
  const profile = { ...state.profile, title: 'Another talk' };
  return codec.encodeSnapshot({ state: { ...state, profile } });
}

describe('INV-8: the state of a room', () => {
  itSees(
    'is at each snapshot what the log makes there',
    rebuiltState,
    run,
    { beforeEnd: ({ database }) => retitled(database.snapshots) },
    'INV-8',
    /the snapshot of version \d+ is not what the log makes at version \d+: profile .*Another talk.* instead of/,
  );
  itSees(
    'comes out of every snapshot and the later log as it does out of the log alone',
    rebuiltState,
    run,
    { beforeEnd: ({ database }) => retitled(database.snapshots) },
    'INV-8',
    /from the snapshot of version \d+ and \d+ later rows comes another room than from the log alone/,
  );
  itSees(
    'follows every logged event',
    rebuiltState,
    run,
    {
      entries: editRow('log', isRowOf('join-u3'), (row) => ({
        ...row,
        events: codec.encodeLoggedEvents([
          { type: 'RoomUserJoined', userId: 'u9' as never, profile: noProfile, isRobot: false },
        ]),
      })),
    },
    'INV-8',
    /the snapshot of version \d+ is not what the log makes/,
  );
  itSees(
    'stands in the rooms row',
    rebuiltState,
    run,
    {
      beforeEnd: ({ database }) =>
        database.rooms.forEach((row, key) => database.rooms.set(key, { ...row, onlineCount: 9 })),
    },
    'INV-8',
    /the rooms row says onlineCount = \["9"\] where the log makes \["2"\]/,
  );
  itSees(
    'has its deadline and its end in the rooms row',
    rebuiltState,
    run,
    {
      beforeEnd: ({ database }) =>
        database.rooms.forEach((row, key) =>
          database.rooms.set(key, { ...row, nextDeadlineMs: 5, closeInfoJson: null }),
        ),
    },
    'INV-8',
    /nextDeadlineMs = 5 where the log makes null[^]*closeInfoJson = \[null\] where the log makes \[\{"closedAtMs"/,
  );
  itSees(
    'is looked at for stale users as long as somebody is in it',
    rebuiltState,
    run,
    {
      beforeEnd: ({ database }) =>
        database.rooms.forEach((row, key) =>
          database.rooms.set(key, { ...row, nextSweepMs: row.nextSweepMs === null ? 9 : null }),
        ),
    },
    'INV-8',
    /nextSweepMs = null where the log leaves 2 people in the room[^]*nextSweepMs = 9 where the log leaves 0 people/,
  );
  itSees(
    'is at a version of the log in every snapshot',
    rebuiltState,
    run,
    {
      beforeEnd: ({ database }) =>
        database.snapshots.forEach((rows, key) => {
          database.snapshots.set(
            key,
            rows.map((row) => ({ ...row, version: 99n as never })),
          );
        }),
    },
    'INV-8',
    /the snapshot of version 99 is at version 99, which the log does not have/,
  );
  itSees(
    'can be read from every snapshot',
    rebuiltState,
    run,
    {
      beforeEnd: ({ database }) =>
        database.snapshots.forEach((rows, key) => {
          database.snapshots.set(
            key,
            rows.map((row) => ({ ...row, bytes: row.bytes.subarray(0, 40) })),
          );
        }),
    },
    'INV-8',
    /the snapshot of version \d+ cannot be read/,
  );
  itSees(
    'stands in the list entry',
    rebuiltState,
    run,
    {
      beforeEnd: ({ database }) =>
        database.listEntries.forEach((row, key) =>
          database.listEntries.set(key, { ...row, title: 'Old' }),
        ),
    },
    'INV-8',
    /the list entry says title = \["Old"\] where the log makes \["Evening talk"\]/,
  );
  itSees(
    'is the same in the memory of its cell',
    rebuiltState,
    run,
    { world: { liveRooms: () => [liveRoom()] } },
    'INV-8',
    /the room in the memory of pod-1 is not what the log makes at version 20: profile/,
  );
});

const noProfile = { nickname: 'someone', avatarUrl: '', countryCode: '', ext: '' };

/** A room in memory that went another way than its log. */
function liveRoom(): ReturnType<NonNullable<CheckedWorld['liveRooms']>>[number] {
  const entry = run().findLast((each) => each.kind === 'row' && each.table === 'snapshots');
  const rows = (entry as { row: readonly { version: bigint; bytes: Uint8Array }[] }).row;
  const newest = rows[0];
  if (newest === undefined) throw new Error('no snapshot');
  const place = { pod: 'pod-1', appCode: 'app1', roomId: 'r1' };
  return { ...place, version: newest.version, snapshotBytes: retitledBytes(newest.bytes) };
}
