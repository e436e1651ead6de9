/** Reads a V8 CPU profile: where the time of a process went, by function. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One function's own time. */
export interface ProfileRow {
  readonly name: string;
  readonly share: number;
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The functions with the most time of their own, idle time left out. Null: no profile there. */
export function topOfProfile(folder: string, count: number): readonly ProfileRow[] | null {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) return null;
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile;
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const sums = new Map<string, number>();
  let total = 0;
  profile.samples.forEach((id, at) => {
    const name = names.get(id) ?? '';
    const deltaUs = profile.timeDeltas[at] ?? 0;
    if (name === '(idle)') return;
    total += deltaUs;
    sums.set(name, (sums.get(name) ?? 0) + deltaUs);
  });
  return [...sums]
    .sort(([, left], [, right]) => right - left)
    .slice(0, count)
    .map(([name, sumUs]) => ({ name, share: sumUs / total }));
}

/** Function and file, from the last folder on that says something. */
function nameOf({ functionName, url }: { functionName: string; url: string }): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const path = url.replace(/^file:\/\//, '');
  const at = Math.max(path.lastIndexOf('/node_modules/') + 1, path.lastIndexOf('/dist/') + 1);
  return `${name} ${path.slice(at)}`;
}
