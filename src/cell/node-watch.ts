/**
 * What this process learns about itself as a node, by one call now and then: whether its name is its
 * own, whether its clock is right by the database's, and whether an operator wants it drained.
 *
 * Two processes under one name: the one that has the name lives. A second one waits until the name's
 * lease runs out, or until the holder has missed a renewal and is seen to be dead, and gives up as soon as
 * the holder has shown that it lives. A holder that was frozen
 * for longer than its lease finds the name taken, and ends.
 */
import { Failure } from '../kernel/failure.ts';
import type { NameHolder, NodeLook } from '../ports/node-registry.ts';
import type { CancelTimer } from '../ports/timers.ts';
import type { CellContext } from './cell-context.ts';
import { ClockVerdict } from './clock-verdict.ts';
import { retryForever } from './retry-forever.ts';

/** Three renewals in one lease: below a session time-out, so a name delays no takeover by the group. */
const renewEveryMs = 1_500;
const nameTtlMs = 3 * renewEveryMs;
/** A renewal was missed, and it was not merely a slow one. */
const nameOverdueMs = renewEveryMs + 500;
/** How often a process looks that waits for its name. */
const waitForNameMs = 500;

/** Reason of the failure that ends a process whose name is another's. */
export const nameTaken = 'NODE_NAME_TAKEN';

/** Asked, and told at most once for each change. None may throw. */
export interface NodeWatchListener {
  /** What is shown to operators as the queues of this node's partitions. */
  queues(): ReadonlyMap<number, number>;
  /** The clock turned out to be off, or has been right for long enough. */
  clockJudged(): void;
  /** An operator wants the node drained. */
  drainAsked(operatorId: string): void;
  /** Another process has the name: this one must end. */
  nameLost(failure: Failure): void;
}

/** See the file header. */
export class NodeWatch {
  private readonly context: Omit<CellContext, 'source'>;
  private readonly listener: NodeWatchListener;
  private readonly clock: ClockVerdict;
  private cancel: CancelTimer | null = null;
  private isDrainTold = false;
  private stopped = false;
  private hasName = false;

  constructor(context: NodeWatch['context'], listener: NodeWatchListener) {
    this.context = context;
    this.listener = listener;
    this.clock = new ClockVerdict(context);
  }

  /** The node may own nothing for now: its clock is too far from the database's. */
  get isClockOff(): boolean {
    return this.clock.isOff;
  }

  /** Resolves when the name is this process's, or `stop` came. Throws Fenced when another lives. */
  async start(): Promise<void> {
    let seen: NameHolder | null = null;
    while (!this.stopped) {
      const look: NodeLook | null = await retryForever(
        this.context,
        'take the name of the node',
        () => !this.stopped,
        () => this.renew(),
      );
      if (look === null) return;
      if (look.heldBy === null) {
        this.hasName = true;
        this.renewLater();
        return;
      }
      const { heldBy } = look;
      if (seen === null) {
        const { nodeId } = this.context.options;
        this.context.log.warn({ nodeId, ...heldBy }, 'another process has the name of this node');
      } else if (heldBy.renewedAtMs !== seen.renewedAtMs) {
        throw this.taken(heldBy);
      }
      seen = heldBy;
      await this.context.timers.sleep(waitForNameMs);
    }
  }

  /** Looks no more; the name runs out unless it is freed. Idempotent. */
  stop(): void {
    this.stopped = true;
    this.cancel?.();
  }

  /** Frees the name for a process that starts at once. Best effort: it runs out by itself. */
  async freeName(): Promise<void> {
    this.stop();
    if (!this.hasName) return;
    this.hasName = false;
    const { nodes, options, log } = this.context;
    try {
      await nodes.release(options.nodeId, options.incarnation);
    } catch (error) {
      log.debug({ error }, 'the name of the node was not freed');
    }
  }

  private async renew(): Promise<NodeLook> {
    const { nodes, options, clock } = this.context;
    const { nodeId, incarnation } = options;
    const queues = this.listener.queues();
    const sentMonoMs = clock.monoMs();
    const times = { ttlMs: nameTtlMs, overdueMs: nameOverdueMs };
    const look = await nodes.renew({ nodeId, incarnation, ...times, queues });
    if (this.clock.judge(look.databaseMs, sentMonoMs)) this.listener.clockJudged();
    return look;
  }

  private renewLater(): void {
    if (this.stopped) return;
    this.cancel = this.context.timers.after(renewEveryMs, () => {
      void this.renewAgain().finally(() => this.renewLater());
    });
  }

  private async renewAgain(): Promise<void> {
    try {
      const { heldBy, drainAskedBy } = await this.renew();
      if (this.stopped) return;
      if (heldBy !== null) {
        this.hasName = false;
        this.stop();
        this.listener.nameLost(this.taken(heldBy));
      } else if (drainAskedBy !== '' && !this.isDrainTold) {
        this.isDrainTold = true;
        this.listener.drainAsked(drainAskedBy);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'retry') throw error;
      // Nobody takes a name, or asks for a drain, in a database that does not answer.
      this.context.log.debug({ error: error.message }, 'the name of the node is not renewed');
    }
  }

  private taken({ incarnation }: NameHolder): Failure {
    const { nodeId } = this.context.options;
    return new Failure(
      'fenced',
      nameTaken,
      `Another process lives under the name ${nodeId}: incarnation ${incarnation}. ` +
        'Give each cell a node_id of its own.',
      { facts: { node_id: nodeId, incarnation } },
    );
  }
}
