/** A Dockerfile as far as ours goes: its stages, and what each copies, runs and starts. */

/** `COPY [--from=stage] source… target`. */
export interface Copy {
  /** Undefined: from the build context. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

/** One stage. */
export interface Stage {
  readonly name: string | undefined;
  readonly base: string;
  readonly workdir: string;
  readonly copies: readonly Copy[];
  readonly runs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  /** Undefined unless it is written in exec form. */
  readonly entrypoint: readonly string[] | undefined;
}

type Draft = { -readonly [Key in keyof Stage]: Stage[Key] };

/** Reads the stages in order. Throws at an instruction that it does not know. */
export function readDockerfile(text: string): Stage[] {
  const stages: Draft[] = [];
  for (const line of instructionsOf(text)) {
    const [, instruction = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (instruction === 'FROM') {
      const [base = '', , name] = rest.split(' ');
      const blank = { workdir: '/', copies: [], runs: [], env: {}, user: 'root' };
      stages.push({ name, base, ...blank, entrypoint: undefined });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${line} stands in front of every FROM`);
    apply(stage, instruction, rest);
  }
  return stages;
}

function instructionsOf(text: string): string[] {
  return text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function apply(stage: Draft, instruction: string, rest: string): void {
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = rest;
      return;
    case 'COPY':
      stage.copies = [...stage.copies, copyOf(rest)];
      return;
    case 'RUN':
      stage.runs = [...stage.runs, rest];
      return;
    case 'ENV':
      stage.env = Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('=', 2)));
      return;
    case 'USER':
      stage.user = rest;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = rest.startsWith('[') ? (JSON.parse(rest) as string[]) : undefined;
      return;
    case 'CMD':
      return;
    default:
      throw new Error(`${instruction} is not understood here`);
  }
}

function copyOf(rest: string): Copy {
  const words = rest.split(/\s+/);
  const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice(7) : undefined;
  return { from, sources: words.slice(0, -1), target: words.at(-1) ?? '' };
}

/** Whether a path of the project is part of the build context. */
export function contextOf(dockerignore: string): (path: string) => boolean {
  const lines = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...others] = lines;
  if (first !== '*' || others.some((line) => !/^![\w.-]+$/.test(line))) {
    throw new Error('.dockerignore leaves everything out and takes whole entries of the root back');
  }
  const taken = new Set(others.map((line) => line.slice(1)));
  return (path) => taken.has(path.split('/')[0] ?? '');
}
