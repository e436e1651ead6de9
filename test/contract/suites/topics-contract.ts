/** What every creator of topics must do. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onOneBroker } from '../../support/log-space.ts';
import type { LogSpace } from '../../support/log-space.ts';

/** Declares the suite. */
export function topicsContract(name: string, openSpace: () => Promise<LogSpace>): void {
  describe(`topics contract: ${name}`, () => {
    let space: LogSpace;
    beforeAll(async () => {
      space = await openSpace();
    });
    afterAll(() => space.close());

    it('two nodes at once create them once, and a third one creates nothing', async () => {
      const plan = { ...onOneBroker, prefix: `${space.prefix}.twice` };
      const reports = await Promise.all([space.ensureTopics(plan), space.ensureTopics(plan)]);
      const created = reports.flatMap((report) => report.created);
      expect(new Set(created).size).toBe(6);
      expect(created).toHaveLength(6);
      expect(reports.map(({ findings }) => findings)).toEqual([[], []]);
      const later = await space.ensureTopics(plan);
      expect(later).toMatchObject({ created: [], findings: [] });
      expect(later.partitionCounts[`${plan.prefix}.replies`]).toBe(4);
      expect(later.partitionCounts[`${plan.prefix}.events.rtc`]).toBe(2);
      expect(later.partitionCounts[`${plan.prefix}.display`]).toBe(2);
      await space.deleteTopics(created);
    });

    it('differences are findings, not changes', async () => {
      const prefix = `${space.prefix}.odd`;
      const commands = `${prefix}.commands`;
      await space.createOddTopic(commands, 2);
      const odd = await space.ensureTopics({ ...onOneBroker, prefix });
      expect(odd.findings).toEqual([
        { kind: 'partitionCount', topic: commands, planned: 4, found: 2 },
        { kind: 'notLogAppendTime', topic: commands, found: 'CreateTime' },
      ]);
      expect(odd.partitionCounts[commands]).toBe(2);
      await space.deleteTopics(Object.keys(odd.partitionCounts));
    });
  });
}
