/**
 * A role around one stage: prepares what the stage stands on, builds it anew for each start, and
 * lets everything go in the opposite order, also when a start fails half-way.
 */
import type { PartitionHealth } from '../cell/partition/partition-health.ts';
import type { Log } from '../ports/log.ts';
import type { Timers } from '../ports/timers.ts';
import type { Readiness, Role, RoleName } from './role.ts';
import type { Waiting } from './wait-for-dependency.ts';

/** A stage as a role runs it: what `prepare` answers. */
export interface RunningStage {
  start(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
  readiness(): Readiness;
  /** Absent: the stage has no partitions. */
  partitions?(): readonly PartitionHealth[];
}

/** Things to let go at the end, last one first. */
export interface Resources {
  add(name: string, release: () => Promise<void>): void;
}

/** How to build the stage of a role. `prepare` waits for what is absent; it may be called again. */
export interface StageRecipe {
  readonly name: RoleName;
  readonly log: Log;
  readonly timers: Timers;
  prepare(waiting: Waiting, resources: Resources): Promise<RunningStage>;
}

/** Makes the role; nothing runs before `start`. */
export function stagedRole(recipe: StageRecipe): Role {
  return new StagedRole(recipe);
}

class StagedRole implements Role {
  readonly name: RoleName;
  private readonly recipe: StageRecipe;
  private readonly stopping = new AbortController();
  private readonly releases: { readonly name: string; readonly release: () => Promise<void> }[] =
    [];
  private stage: RunningStage | null = null;
  private isStarted = false;
  private waitReason: string | null = 'starting';
  private starting: Promise<void> = Promise.resolve();
  private stopped: Promise<void> | null = null;

  constructor(recipe: StageRecipe) {
    this.name = recipe.name;
    this.recipe = recipe;
  }

  start(): Promise<void> {
    const attempt = this.attempt();
    // `stop` waits for it; its failure is the host's to handle.
    this.starting = attempt.catch(() => undefined);
    return attempt;
  }

  async drain(): Promise<void> {
    if (this.isStarted) await this.stage?.drain();
  }

  stop(): Promise<void> {
    this.stopping.abort(new Error(`role ${this.name} stops`));
    this.stopped ??= this.end();
    return this.stopped;
  }

  readiness(): Readiness {
    if (this.waitReason !== null) return { ready: false, reasons: [this.waitReason] };
    return this.stage?.readiness() ?? { ready: false, reasons: ['stopped'] };
  }

  partitions(): readonly PartitionHealth[] {
    return this.stage?.partitions?.() ?? [];
  }

  private async attempt(): Promise<void> {
    const { log, timers } = this.recipe;
    const { signal } = this.stopping;
    this.waitReason = 'starting';
    const onWaiting = (reason: string | null): void => {
      this.waitReason = reason ?? 'starting';
    };
    const resources: Resources = {
      add: (name, release) => this.releases.push({ name, release }),
    };
    try {
      const stage = await this.recipe.prepare({ log, timers, signal, onWaiting }, resources);
      signal.throwIfAborted();
      this.stage = stage;
      await stage.start();
      this.isStarted = true;
      this.waitReason = null;
    } catch (error) {
      await this.releaseAll();
      throw error;
    }
  }

  private async end(): Promise<void> {
    // A stage in the middle of its start is told to stop first: its start may wait for ever.
    const stage = this.stage;
    if (stage !== null) await this.guarded(this.name, () => stage.stop());
    await this.starting;
    await this.releaseAll();
  }

  private async releaseAll(): Promise<void> {
    const stage = this.stage;
    this.stage = null;
    this.isStarted = false;
    if (stage !== null) await this.guarded(this.name, () => stage.stop());
    for (const { name, release } of this.releases.splice(0).reverse()) {
      await this.guarded(name, release);
    }
  }

  /** What cannot be let go must not keep the rest. */
  private async guarded(name: string, release: () => Promise<void>): Promise<void> {
    try {
      await release();
    } catch (error) {
      this.recipe.log.warn({ resource: name, error }, 'a resource did not close cleanly');
    }
  }
}
