/** Who may be under way at a time in an adapter. */
import { describe, expect, it } from 'vitest';
import { createAdapter } from '../../../src/adapters/adapter.ts';
import { RunGate, type LeaveGate } from '../../../src/adapters/run-gate.ts';
import type { IncomingEvent } from '../../../src/ports/event-source.ts';
import type { OutboxStore } from '../../../src/ports/outbox-store.ts';
import { roomKeyOf } from '../../../src/domain/ids.ts';
import { envelopeOf, incoming, makeAdapterRig } from '../../support/adapter-rig.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { memoryOutboxFixture } from '../../support/memory-outbox-rows.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { claimOf, nowMs } from '../../support/outbox-rows.ts';

const never = new AbortController().signal;

/** Asks for a turn and remembers when it came. */
function asker(gate: RunGate) {
  const entered: string[] = [];
  const leaves = new Map<string, LeaveGate>();
  const ask = (name: string, isAlone: boolean, signal = never): void => {
    void gate.enter(isAlone, signal).then((leave) => {
      entered.push(leave === null ? `${name} gave up` : name);
      if (leave !== null) leaves.set(name, leave);
    });
  };
  const settle = async (): Promise<readonly string[]> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    return entered;
  };
  const leave = (name: string): void => leaves.get(name)?.();
  return { ask, settle, leave };
}

describe('the gate of an adapter’s runs', () => {
  it('lets many in, and one that goes alone when all have left', async () => {
    const { ask, settle, leave } = asker(new RunGate());
    ask('a', false);
    ask('b', false);
    ask('alone', true);
    expect(await settle()).toEqual(['a', 'b']);
    leave('a');
    expect(await settle()).toEqual(['a', 'b']);
    leave('b');
    expect(await settle()).toEqual(['a', 'b', 'alone']);
  });

  it('lets nobody in beside the one that goes alone, and then all who waited, in their order', async () => {
    const { ask, settle, leave } = asker(new RunGate());
    ask('alone', true);
    for (const name of ['a', 'b']) ask(name, false);
    ask('second', true);
    ask('c', false);
    expect(await settle()).toEqual(['alone']);
    leave('alone');
    expect(await settle()).toEqual(['alone', 'a', 'b']);
    leave('a');
    leave('a');
    expect(await settle()).toHaveLength(3);
    leave('b');
    expect(await settle()).toEqual(['alone', 'a', 'b', 'second']);
    leave('second');
    expect((await settle()).at(-1)).toBe('c');
  });

  it('forgets who gives up, and lets in who stood behind', async () => {
    const { ask, settle } = asker(new RunGate());
    const stop = new AbortController();
    ask('a', false);
    ask('alone', true, stop.signal);
    ask('b', false);
    expect(await settle()).toEqual(['a']);
    stop.abort();
    expect([...(await settle())].sort()).toEqual(['a', 'alone gave up', 'b']);
    ask('late', true, stop.signal);
    expect((await settle()).at(-1)).toBe('late gave up');
  });
});

describe('a row that was started and never ended', () => {
  it('is sent while nothing else is', async () => {
    const inFlight = new Set<string>();
    const beside: string[] = [];
    const { adapter, time } = makeAdapterRig({
      async send(name, clock) {
        inFlight.add(name);
        if (inFlight.has('s/1') && inFlight.size > 1) beside.push([...inFlight].join(' '));
        await clock.sleep(10);
        inFlight.delete(name);
        return { kind: 'done' };
      },
    });
    const events = ['a', 'b', 's', 'c', 'd'].map((room) =>
      incoming(room, 1, `claim-${room}`, room === 's'),
    );
    const work = adapter.onEvents(events, never);
    for (let passed = 0; passed < 20; passed += 1) await time.advance(10);
    await work;
    expect(beside).toEqual([]);
  });

  it('only the row that ends its adapter is counted with it', async () => {
    const fixture = await memoryOutboxFixture();
    const store = fixture.newStore();
    const rooms = ['a', 'killer', 'b'];
    const ids = await fixture.put(rooms.map((room) => ({ room, version: 1 })));
    const lockMs = 60_000;
    for (let life = 0; life < 4; life += 1) {
      await oneLife(store, nowMs + life * 10 * lockMs);
    }
    const rows = await Promise.all(ids.map((id) => fixture.see(id)));
    expect(rows.map(({ status }) => status)).toEqual(['delivered', 'failed', 'delivered']);
    expect(rows[1]?.lastError).toContain('started 3 times');
  });
});

/** An adapter takes what a relay has claimed; the room `killer` ends it in the midst of its send. */
async function oneLife(store: OutboxStore, wallMs: number): Promise<void> {
  const time = new ManualTime({ startWallMs: wallMs });
  const life = new AbortController();
  const nothing = (): void => undefined;
  const gone = new Promise<never>(nothing);
  const adapter = createAdapter(
    {
      source: { start: () => Promise.resolve(), stop: () => Promise.resolve() },
      // Of a process that has ended nothing is written any more.
      store: Object.assign(Object.create(store) as OutboxStore, {
        start: (...call: Parameters<OutboxStore['start']>) =>
          life.signal.aborted ? gone : store.start(...call),
        finish: (...call: Parameters<OutboxStore['finish']>) =>
          life.signal.aborted ? gone : store.finish(...call),
      }),
      // Those of the fixture are texts, room and version.
      readEnvelope: (bytes) =>
        Promise.resolve(envelopeOf(Buffer.from(bytes).toString('utf8').replace(' ', '/'))),
      wake: { hint: nothing, subscribe: () => nothing },
      ...{ clock: time, timers: time, log: new MemoryLog() },
      random: { fraction: () => 0, hex: () => '' },
      metrics: { count: nothing, gauge: nothing, observeMs: nothing },
      trace: { at: nothing },
      onCrashed: nothing,
    },
    {
      destination: 'im',
      async send({ envelope }) {
        await time.sleep(10);
        if (envelope.roomId === 'killer') life.abort();
        return life.signal.aborted ? gone : { kind: 'done' };
      },
    },
    {
      ...{ lockMs: 60_000, sendTimeoutMs: 3_000, maxRetryCount: 10, rememberedEvents: 100 },
      ...{ backoff: { initialMs: 5_000, maxMs: 300_000 }, concurrentRooms: 4 },
    },
  );
  const runs = await store.claimRuns(claimOf({ nowMs: wallMs, startedMax: 3 }));
  const events = runs.flatMap((run) =>
    run.rows.map((row): IncomingEvent => {
      const { rowId, isSuspect, envelope } = row;
      const { claimToken, appCode, roomId } = run;
      return { roomKey: roomKeyOf(appCode, roomId), rowId, claimToken, isSuspect, envelope };
    }),
  );
  void adapter.onEvents(events, never);
  for (let passed = 0; passed < 20; passed += 1) await time.advance(10);
}
