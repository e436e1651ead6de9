/** The project's own pages of requirements and test files, read for the checks. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/main/project-root.ts';
import { pageFaults } from './page-faults.ts';
import { reportFaults, type NamedTestReport } from './report-faults.ts';
import { listedSections, readSections } from './requirement-pages.ts';
import type { ListedSection, RequirementSection } from './requirement-pages.ts';
import { idsInTitle, titlesIn } from './title-ids.ts';

/** Faults of the pages beside the tree, without a run. */
export function requirementFaults(): string[] {
  const { listed, sections } = readPages();
  const exists = (path: string): boolean => existsSync(join(projectRoot(), path));
  return pageFaults(listed, sections, { exists, titleIds: readTitleIds() });
}

/** Faults of the pages beside what a whole run did. */
export function unprovenRequirements(report: NamedTestReport): string[] {
  return reportFaults(
    readPages().sections.flatMap(({ rows }) => rows),
    report,
  );
}

function readPages(): { listed: ListedSection[]; sections: RequirementSection[] } {
  const docs = join(projectRoot(), 'docs');
  const listed = listedSections(readFileSync(join(docs, 'requirements.md'), 'utf8'));
  const pages = readdirSync(join(docs, 'requirements')).map((name) => `requirements/${name}`);
  const sections = pages.flatMap((page) =>
    readSections(page, readFileSync(join(docs, page), 'utf8')),
  );
  return { listed, sections };
}

function readTitleIds(): Map<string, string[]> {
  const paths = readdirSync(join(projectRoot(), 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
  return new Map(
    paths.map((path) => {
      const titles = titlesIn(readFileSync(join(projectRoot(), path), 'utf8'));
      return [path, titles.flatMap(idsInTitle)];
    }),
  );
}
