/** The table of levels against what each release really wrote. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAvroType } from '../../../src/protocol/avro-types.ts';
import { commandToWire } from '../../../src/protocol/command-mapping.ts';
import { loggedEventsToWire } from '../../../src/protocol/event-mapping.ts';
import { commandLevel, eventLevel, schemaLevel } from '../../../src/protocol/schema-levels.ts';
import * as release010 from '../../golden/0.1.0/samples.ts';
import * as release020 from '../../golden/0.2.0/samples.ts';
import * as release030 from '../../golden/0.3.0/samples.ts';
import * as release040 from '../../golden/0.4.0/samples.ts';

/** In order: the level of a release is its place, from 1. */
const releases = [
  { release: '0.1.0', samples: release010 },
  { release: '0.2.0', samples: release020 },
  { release: '0.3.0', samples: release030 },
  { release: '0.4.0', samples: release040 },
];

/** The level of the first release whose schema has a place for all of the value. */
function firstLevel(schema: string, wire: unknown): number {
  const first = releases.findIndex(({ release }) => {
    const file = join(import.meta.dirname, '../../golden', release, `${schema}.avsc`);
    return parseAvroType(JSON.parse(readFileSync(file, 'utf8'))).isValid(wire);
  });
  return first + 1;
}

describe('the level', () => {
  it('of this release is that of the newest samples', () => {
    expect(schemaLevel).toBe(releases.length);
  });

  it('of each command is that of the first release whose schema has it', () => {
    for (const record of release040.commands) {
      if (record.kind !== 'command') continue;
      const { type } = record.body;
      const level = firstLevel('CommandTopicRecord', commandToWire(record));
      expect([type, commandLevel(type)]).toEqual([type, level]);
    }
  });

  it('of each event is that of the first release whose log could be read with it', () => {
    for (const event of release040.events) {
      const level = firstLevel('LoggedEvents', loggedEventsToWire([event]));
      expect([event, eventLevel(event)]).toEqual([event, level]);
    }
  });

  it.each(releases)('of nothing that $release wrote is above its own', ({ release, samples }) => {
    const own = releases.findIndex((row) => row.release === release) + 1;
    for (const event of samples.events) expect(eventLevel(event)).toBeLessThanOrEqual(own);
    for (const record of samples.commands) {
      if (record.kind === 'command') {
        expect(commandLevel(record.body.type)).toBeLessThanOrEqual(own);
      }
    }
  });
});
