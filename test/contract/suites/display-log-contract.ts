/** What every DisplaySink and DisplaySource must do: displays from cells to the IM adapter. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import type { AppCode, RoomId, RoomKey } from '../../../src/domain/ids.ts';
import type { DisplaySource } from '../../../src/ports/display-source.ts';
import type { LogSpace } from '../../support/log-space.ts';
import { waitUntil } from '../../support/wait-until.ts';

const keyOf = (room: string): RoomKey => roomKeyOf('app1' as AppCode, room as RoomId);
const display = (room: string, text: string) => ({
  roomKey: keyOf(room),
  value: Buffer.from(text),
});

/** A member that reads, and what it got per room. */
interface Reader {
  readonly source: DisplaySource;
  of(room: string): readonly string[];
}

/** Declares the suite. */
export function displayLogContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`DisplaySink and DisplaySource contract: ${name}`, () => {
    let space: LogSpace;
    beforeAll(async () => {
      space = await openSpace();
    });
    afterAll(() => space.close());

    const read = async (group: string, instanceName = 'im-1'): Promise<Reader> => {
      const got = new Map<RoomKey, string[]>();
      const source = space.displaySource(
        { groupId: `${space.prefix}.${group}`, instanceName },
        space.deps(),
      );
      await source.start({
        onDisplays(displays) {
          for (const { roomKey, value } of displays) {
            const texts = got.get(roomKey) ?? [];
            got.set(roomKey, [...texts, Buffer.from(value).toString()]);
          }
        },
        onCrashed: (cause) => expect.unreachable(String(cause)),
      });
      // A member begins at the end of its partitions: what shows that it has them is that it gets.
      const sink = space.displaySink({}, space.deps());
      await sink.start();
      const rooms = ['probe-a', 'probe-b', 'probe-c', 'probe-d', 'probe-e', 'probe-f'];
      await waitUntil('the member reads every partition', () => {
        for (const room of rooms) sink.offer(display(room, 'probe'));
        return Promise.resolve(rooms.every((room) => (got.get(keyOf(room)) ?? []).length > 0));
      });
      await sink.stop();
      return { source, of: (room) => got.get(keyOf(room)) ?? [] };
    };

    it('a room’s displays arrive in the order in which they were offered, old ones never (DIM-1)', async () => {
      const sink = space.displaySink({ perRoomMax: 200 }, space.deps());
      await sink.start();
      sink.offer(display('r1', 'old'));
      await sink.flush();
      const reader = await read('order');
      for (let number = 0; number < 100; number += 1) {
        sink.offer(display('r1', `${number}`));
        sink.offer(display('r2', `${number}`));
        if (number % 10 === 0) await sink.flush();
      }
      await sink.flush();
      const all = Array.from({ length: 100 }, (_, number) => `${number}`);
      await waitUntil('all displays', () =>
        Promise.resolve(reader.of('r1').length >= 100 && reader.of('r2').length >= 100),
      );
      expect(reader.of('r1')).toEqual(all);
      expect(reader.of('r2')).toEqual(all);
      await Promise.all([sink.stop(), reader.source.stop()]);
    });

    it('keeps what is offered before the start, drops the oldest of a full room, and counts (DIM-1)', async () => {
      const deps = space.deps();
      const reader = await read('full');
      const sink = space.displaySink({ perRoomMax: 3, waitingMax: 5 }, deps);
      const dropped = (why: string) =>
        deps.metrics.sumOf('roomcell_kafka_displays_dropped_total', { why });
      for (const text of ['a', 'b', 'c', 'd', 'e']) sink.offer(display('busy', text));
      expect(dropped('room_full')).toBe(2);
      for (const text of ['x', 'y', 'z']) sink.offer(display('calm', text));
      // The room that has waited longest gives up its oldest.
      expect(dropped('node_full')).toBe(1);
      await sink.start();
      await sink.flush();
      await waitUntil('the youngest', () => Promise.resolve(reader.of('calm').length >= 3));
      expect(reader.of('busy')).toEqual(['d', 'e']);
      expect(reader.of('calm')).toEqual(['x', 'y', 'z']);
      expect(deps.metrics.sumOf('roomcell_kafka_displays_total', { outcome: 'stored' })).toBe(5);
      await Promise.all([sink.stop(), reader.source.stop()]);
      sink.offer(display('calm', 'late'));
      expect(dropped('stopped')).toBe(1);
    });

    it('forgets what waits of rooms that are another’s now, and what waited too long', async () => {
      const deps = space.deps();
      const reader = await read('lost');
      const sink = space.displaySink({ maxAgeMs: 500, recordBytesMax: 100 }, deps);
      sink.offer(display('ours', 'stale'));
      await space.pass(600);
      sink.offer(display('ours', 'kept'));
      sink.offer(display('theirs', 'lost'));
      sink.offer(display('ours', 'x'.repeat(101)));
      sink.drop((roomKey) => roomKey === keyOf('theirs'));
      await sink.start();
      await sink.flush();
      await waitUntil('what was kept', () => Promise.resolve(reader.of('ours').length > 0));
      expect(reader.of('ours')).toEqual(['kept']);
      expect(reader.of('theirs')).toEqual([]);
      for (const why of ['too_old', 'lost', 'too_large']) {
        const count = deps.metrics.sumOf('roomcell_kafka_displays_dropped_total', { why });
        expect(count, why).toBe(1);
      }
      await Promise.all([sink.stop(), reader.source.stop()]);
    });

    it('the source skips and counts what is no display', async () => {
      const reader = await read('junk');
      const raw = space.commandSink({ topic: space.topics.display }, space.deps());
      await raw.start();
      for (const partition of [0, 1]) {
        const key = Buffer.from('no room');
        await raw.produce({ partition, key, value: Buffer.from('x'), headers: {} });
      }
      await raw.stop();
      const sink = space.displaySink({}, space.deps());
      await sink.start();
      sink.offer(display('r9', 'behind'));
      await waitUntil('the display behind', () => Promise.resolve(reader.of('r9').length > 0));
      expect(reader.of('r9')).toEqual(['behind']);
      await Promise.all([sink.stop(), reader.source.stop()]);
    });
  });
}
