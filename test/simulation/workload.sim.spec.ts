/** The simulated clients ask for everything that the product can be asked for. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/main/project-root.ts';
import { aimedNames } from './plan/aimed-kinds.ts';
import { faultKinds, rtcFaultKinds } from './plan/fault-kinds.ts';
import { askWeights } from './plan/plan-workload.ts';
import { caseOf } from './plan/sim-case.ts';

const cases = Array.from({ length: 100 }, (_, seed) => caseOf(seed + 1));

/** Asked for by a callback of the RTC service (`RtcEvent`). */
const otherDoors: readonly string[] = ['ApplyRtcEvent'];

/** Names of the commands in the domain's own text, without those of the system itself. */
function commandTypes(): readonly string[] {
  const bodies =
    /\/\*\*(?<doc>(?:(?!\*\/)[\s\S])*)\*\/\nexport interface \w+ \{\n {2}readonly type: '(?<type>\w+)'/g;
  const topics = ['room/room', 'presence/presence', 'mic/mic', 'gift/gift'];
  const text = topics
    .map((topic) => join(projectRoot(), 'src', 'domain', `${topic}-commands.ts`))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  return [...text.matchAll(bodies)].flatMap(({ groups }) => {
    const { doc = '', type = '' } = groups ?? {};
    return doc.trim().startsWith('System:') || otherDoors.includes(type) ? [] : [type];
  });
}

describe('the workload of a run', () => {
  it('knows every command of the domain', () => {
    const types = commandTypes();
    expect(types.length).toBeGreaterThan(24);
    expect(types.filter((type) => !Object.hasOwn(askWeights, type))).toEqual([]);
  });

  it('asks for each kind in some run', () => {
    const asked = new Set(
      cases.flatMap(({ workload }) => workload.calls.map(({ ask }) => ask.type)),
    );
    expect(Object.keys(askWeights).filter((type) => !asked.has(type as never))).toEqual([]);
  });

  it('repeats about one call in five, and sometimes with another payload', () => {
    const calls = cases.flatMap(({ workload }) => workload.calls);
    const repeats = calls.filter(({ repeatOf }) => repeatOf !== null);
    expect(repeats.length / calls.length).toBeGreaterThan(0.1);
    expect(repeats.length / calls.length).toBeLessThan(0.3);
    expect(repeats.some(({ otherPayload }) => otherPayload)).toBe(true);
  });
});

describe('the pressure of a run', () => {
  it('leads most calls of some runs into one room', () => {
    const shares = cases
      .filter(({ options }) => options.rooms > 3)
      .map(({ workload: { calls } }) => {
        return calls.filter(({ ask }) => ask.room === 0).length / calls.length;
      });
    expect(Math.max(...shares)).toBeGreaterThan(0.7);
    expect(Math.min(...shares)).toBeLessThan(0.3);
  });

  it('has clients that look at a room as soon as their command is answered', () => {
    const looks = cases.flatMap(({ workload: { calls } }) =>
      calls.filter(({ ask, client, atMs }, at) => {
        const before = calls[at - 1];
        const isBehind = before?.client === client && before.atMs === atMs;
        return isBehind && ask.type === 'GetRoomSnapshot' && before.ask.room === ask.room;
      }),
    );
    expect(looks.length).toBeGreaterThan(100);
  });

  it('has calls that nobody asks for again, in some runs only', () => {
    const forgetful = cases.filter(({ workload }) =>
      workload.calls.some((call) => call.isForgotten),
    );
    expect(forgetful.length).toBeGreaterThan(cases.length / 4);
    expect(forgetful.length).toBeLessThan((cases.length * 3) / 4);
  });
});

describe('the watchers of a run', () => {
  const watches = cases.flatMap(({ workload }) => workload.watches ?? []);

  it('are of every role, and some of them hang up again and again', () => {
    const roles = new Set(watches.map(({ role }) => role));
    expect([...roles].sort()).toEqual(['operator', 'service', 'user']);
    expect(watches.some(({ hangsUpAfter }) => hangsUpAfter > 0)).toBe(true);
  });

  it('are there in most runs, and not in all', () => {
    const watched = cases.filter(({ workload }) => workload.watches !== undefined).length;
    expect(watched).toBeGreaterThan(cases.length / 2);
    expect(watched).toBeLessThan(cases.length);
  });
});

describe('the faults of a run', () => {
  it('wait for every kind of moment in some run, and are mostly of the ordinary kinds', () => {
    const aimed = new Set<string>(aimedNames);
    const planned = cases.flatMap(({ faults }) => faults.map(({ kind }) => kind));
    const waiting = planned.filter((kind) => aimed.has(kind));
    expect([...new Set(waiting)].sort()).toEqual([...aimedNames].sort());
    expect(waiting.length / planned.length).toBeLessThan(0.1);
  });

  it('are of every kind in some run, and of none in about one in ten', () => {
    const planned = new Set(cases.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
    expect(
      Object.keys({ ...faultKinds, ...rtcFaultKinds }).filter(
        (kind) => !planned.has(kind as never),
      ),
    ).toEqual([]);
    const calm = cases.filter(({ faults, firings }) => faults.length + firings.length === 0);
    expect(calm.length).toBeGreaterThan(2);
    expect(calm.length).toBeLessThan(25);
  });
});
