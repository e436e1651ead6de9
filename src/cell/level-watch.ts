/**
 * The level of the deployment as this node knows it (`protocol/schema-levels.ts`). Nothing above it is
 * written here: a node of the former release may take a room over at any time and must be able to
 * replay its log. A node whose own release is below it may not own anything.
 */
import { Failure } from '../kernel/failure.ts';
import type { CancelTimer } from '../ports/timers.ts';
import { schemaLevel } from '../protocol/schema-levels.ts';
import type { CellContext } from './cell-context.ts';

/** The level is raised by hand, once in a release: seconds do not matter. */
const lookEveryMs = 5_000;

/** See the file header. */
export class LevelWatch {
  private readonly context: Pick<CellContext, 'schemas' | 'timers' | 'log'>;
  private readonly onTooOld: () => void;
  private level = 1;
  private cancel: CancelTimer | null = null;
  private stopped = false;

  /** `onTooOld` is told once, by the first look that finds this release too old. */
  constructor(context: LevelWatch['context'], onTooOld: () => void) {
    this.context = context;
    this.onTooOld = onTooOld;
  }

  /** Commands and events up to this level are written. Before the first look: the least there is. */
  get enabled(): number {
    return Math.min(this.level, schemaLevel);
  }

  /** Whether the deployment has gone beyond this release. */
  get isTooOld(): boolean {
    return this.level > schemaLevel;
  }

  /** Reads the level, and again every few seconds. Throws a Retry failure when it cannot be read. */
  async start(): Promise<void> {
    await this.look();
    this.lookLater();
  }

  /** Idempotent. */
  stop(): void {
    this.stopped = true;
    this.cancel?.();
  }

  /** Reads the level now. Throws a Retry failure when it cannot be read. */
  async look(): Promise<void> {
    const { schemas, log } = this.context;
    const level = await schemas.level(schemaLevel);
    const before = this.level;
    // It never falls; an answer that is older than another one counts no more.
    this.level = Math.max(before, level);
    if (before === this.level) return;
    log.info({ schemaLevel: level, own: schemaLevel }, 'schema level of the deployment');
    if (!this.isTooOld || before > schemaLevel) return;
    log.error(
      { schemaLevel: level, own: schemaLevel },
      'this release is too old for the deployment',
    );
    this.onTooOld();
  }

  private lookLater(): void {
    if (this.stopped || this.isTooOld) return;
    this.cancel = this.context.timers.after(lookEveryMs, () => {
      void this.lookAgain().finally(() => this.lookLater());
    });
  }

  private async lookAgain(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      // What was enabled stays so, and what was not waits: an outage changes no level.
      this.context.log.debug({ error: error.message }, 'the schema level is unread');
    }
  }
}
