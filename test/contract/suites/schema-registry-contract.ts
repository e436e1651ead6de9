/** What every SchemaRegistry must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SchemaRegistry } from '../../../src/ports/schema-registry.ts';

/** An empty registry. */
export interface SchemaRegistryFixture {
  readonly registry: SchemaRegistry;
  close(): Promise<void>;
}

/** Declares the suite. */
export function schemaRegistryContract(
  name: string,
  makeFixture: () => Promise<SchemaRegistryFixture>,
): void {
  describe(`SchemaRegistry contract: ${name}`, () => {
    let fixture: SchemaRegistryFixture;
    const schema = (fingerprint: string, json: string) => ({ name: 'Record', fingerprint, json });

    beforeAll(async () => {
      fixture = await makeFixture();
    });
    afterAll(() => fixture.close());

    it('finds what was registered, text for text', async () => {
      const json = JSON.stringify({ type: 'record', doc: "it's “quoted” \\ 音乐" });
      await fixture.registry.register([schema('00000000000000aa', json)]);
      expect(await fixture.registry.find('00000000000000aa')).toBe(json);
    });

    it('answers null for a fingerprint that nobody registered', async () => {
      expect(await fixture.registry.find('00000000000000ff')).toBeNull();
    });

    it('keeps the first text when many processes register at once', async () => {
      const texts = ['{"n":1}', '{"n":2}', '{"n":3}'];
      await Promise.all(
        texts.map((json) => fixture.registry.register([schema('00000000000000bb', json)])),
      );
      const kept = await fixture.registry.find('00000000000000bb');
      expect(texts).toContain(kept);
      await fixture.registry.register([schema('00000000000000bb', '{"n":4}')]);
      expect(await fixture.registry.find('00000000000000bb')).toBe(kept);
    });

    it('stores all schemas of a call, and what is there already keeps nothing out', async () => {
      await fixture.registry.register([schema('00000000000000c1', '{"n":1}')]);
      await fixture.registry.register([
        schema('00000000000000c1', '{"n":9}'),
        schema('00000000000000c2', '{"n":2}'),
      ]);
      expect(await fixture.registry.find('00000000000000c1')).toBe('{"n":1}');
      expect(await fixture.registry.find('00000000000000c2')).toBe('{"n":2}');
    });

    it('begins at the level of one of those who ask first, and then has it for all', async () => {
      const levels = await Promise.all([3, 4, 3].map((begin) => fixture.registry.level(begin)));
      const [first = 0] = levels;
      expect([3, 4]).toContain(first);
      expect(levels).toEqual([first, first, first]);
      expect(await fixture.registry.level(9)).toBe(first);
    });

    it('raises its level and never lowers it', async () => {
      expect(await fixture.registry.raiseLevel(5)).toBe(5);
      expect(await fixture.registry.raiseLevel(4)).toBe(5);
      expect(await fixture.registry.raiseLevel(5)).toBe(5);
      expect(await fixture.registry.level(3)).toBe(5);
      await Promise.all([7, 6].map((level) => fixture.registry.raiseLevel(level)));
      expect(await fixture.registry.level(3)).toBe(7);
    });

    it('has nothing to do for no schema', async () => {
      await fixture.registry.register([]);
      expect(await fixture.registry.find('')).toBeNull();
    });
  });
}
