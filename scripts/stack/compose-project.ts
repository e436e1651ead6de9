/**
 * The containers of one run: a Compose project of its own name over docker-compose.yml. The command
 * line starts it for `npm start`, Testcontainers for `npm test`: its reaper removes the containers
 * even when the run is killed.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/main/project-root.ts';
import { runDocker } from './docker.ts';

/** Fetching images is part of it. */
const UP_LIMIT_MS = 15 * 60_000;
/** From the last image to the last healthy server. */
const HEALTHY_LIMIT_S = 300;
const DOWN_LIMIT_MS = 120_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** What to start. */
export interface ComposePlan {
  readonly project: string;
  readonly services: readonly string[];
  /** The caller's environment and the variables of docker-compose.yml. */
  readonly environment: Environment;
  readonly cacheFolder: string;
  readonly signal?: AbortSignal | undefined;
}

/** Started containers. */
export interface ComposeProject {
  /** Removes them with their data. */
  stop(): Promise<void>;
}

/** Starts the plan's services; resolves when all are healthy, and leaves nothing when it rejects. */
export type StartProject = (plan: ComposePlan) => Promise<ComposeProject>;

/** By `docker compose`. A run that dies leaves its containers to the next one, which removes them. */
export const startByCommandLine: StartProject = async (plan) => {
  await sweepDeadProjects(plan);
  const file = recordProject(plan);
  const stop = async (): Promise<void> => {
    await down(plan.project, plan.environment);
    rmSync(file, { force: true });
  };
  try {
    await runDocker({
      words: [
        ...compose(plan.project),
        ...['up', '--detach', '--wait', `--wait-timeout=${HEALTHY_LIMIT_S}`],
        ...plan.services,
      ],
      environment: plan.environment,
      limitMs: UP_LIMIT_MS,
      signal: plan.signal,
    });
  } catch (error) {
    // What did come up must not stay. A failure here too is told by the first one.
    await stop().catch(() => undefined);
    throw error;
  }
  return { stop };
};

/** By Testcontainers, on the same file. */
export const startByTestcontainers: StartProject = async (plan) => {
  const { DockerComposeEnvironment, Wait } = await import('testcontainers');
  const started = await new DockerComposeEnvironment(projectRoot(), 'docker-compose.yml')
    .withProjectName(plan.project)
    .withEnvironment(definedOnly(plan.environment))
    .withDefaultWaitStrategy(Wait.forHealthCheck())
    .withStartupTimeout(HEALTHY_LIMIT_S * 1000)
    .up([...plan.services]);
  return { stop: async () => void (await started.down({ removeVolumes: true })) };
};

function compose(project: string): string[] {
  return [
    'compose',
    '--file',
    join(projectRoot(), 'docker-compose.yml'),
    '--project-name',
    project,
  ];
}

async function down(project: string, environment: Environment): Promise<void> {
  const words = [...compose(project), 'down', '--volumes', '--timeout', '1'];
  await runDocker({ words, environment, limitMs: DOWN_LIMIT_MS });
}

/** Written before the containers exist, so that no death of ours leaves unknown ones. */
function recordProject({ cacheFolder, project }: ComposePlan): string {
  const folder = join(cacheFolder, 'compose-runs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${project}.json`);
  writeFileSync(file, JSON.stringify({ project, pid: process.pid }));
  return file;
}

async function sweepDeadProjects({ cacheFolder, environment }: ComposePlan): Promise<void> {
  const folder = join(cacheFolder, 'compose-runs');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const { project, pid } = JSON.parse(readFileSync(file, 'utf8')) as {
      project: string;
      pid: number;
    };
    if (isAlive(pid) || !/^roomcell-[0-9a-f]+$/.test(project)) continue;
    await down(project, environment);
    rmSync(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function definedOnly(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
