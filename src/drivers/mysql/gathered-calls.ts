/**
 * Calls that come together go together, so that what each of them would pay for itself, a transaction
 * and its way to the disk, is paid once. A call that comes alone goes alone and waits for nobody.
 */
import { BoundedQueue } from '../../kernel/bounded-queue.ts';
import { Failure } from '../../kernel/failure.ts';

/** Named maxima. */
export interface GatherLimits {
  /** Weight of the calls in one group; a call that alone is heavier goes alone. */
  readonly groupWeight: number;
  /** Groups under way at once. */
  readonly groupsAtOnce: number;
  /** Calls that may wait; one more is refused at once. */
  readonly waiting: number;
}

/**
 * Carries a group out, one answer per call in the order given. A promise among the answers is that
 * call's own and holds nobody up. What it rejects with, every caller of the group hears.
 */
export type CarryOut<Call, Answer> = (
  calls: readonly Call[],
) => Promise<readonly (Answer | Promise<Answer>)[]>;

interface Waiting<Call, Answer> {
  readonly call: Call;
  readonly weight: number;
  readonly answer: (answer: Answer | Promise<Answer>) => void;
  readonly fail: (cause: unknown) => void;
}

/** See the file header. Calls go out in the order in which they came. */
export class GatheredCalls<Call, Answer> {
  private readonly what: string;
  private readonly limits: GatherLimits;
  private readonly weightOf: (call: Call) => number;
  private readonly carryOut: CarryOut<Call, Answer>;
  private readonly waiting: BoundedQueue<Waiting<Call, Answer>>;
  private groups = 0;
  private isAsked = false;

  /** `what` names the calls in the failure of one that is refused. */
  constructor(
    what: string,
    limits: GatherLimits,
    weightOf: (call: Call) => number,
    carryOut: CarryOut<Call, Answer>,
  ) {
    this.what = what;
    this.limits = limits;
    this.weightOf = weightOf;
    this.carryOut = carryOut;
    this.waiting = new BoundedQueue(limits.waiting);
  }

  /** The call's own answer. Rejects with a Retry failure when too many wait already. */
  ask(call: Call): Promise<Answer> {
    return new Promise((answer, fail) => {
      const isTaken = this.waiting.push({ call, weight: this.weightOf(call), answer, fail });
      if (isTaken) this.askPump();
      else fail(tooMany(this.what, this.limits.waiting));
    });
  }

  /** At the end of this turn of the event loop: whoever asks in one turn goes together. */
  private askPump(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    setImmediate(() => {
      this.isAsked = false;
      this.pump();
    });
  }

  private pump(): void {
    while (this.groups < this.limits.groupsAtOnce && this.waiting.size > 0) {
      this.groups += 1;
      void this.carry(this.takeGroup());
    }
  }

  private takeGroup(): Waiting<Call, Answer>[] {
    const group: Waiting<Call, Answer>[] = [];
    let weight = 0;
    for (;;) {
      const next = this.waiting.peek();
      if (next === undefined) return group;
      if (group.length > 0 && weight + next.weight > this.limits.groupWeight) return group;
      this.waiting.shift();
      group.push(next);
      weight += next.weight;
    }
  }

  private async carry(group: readonly Waiting<Call, Answer>[]): Promise<void> {
    try {
      const answers = await this.carryOut(group.map(({ call }) => call));
      for (const [at, { answer, fail }] of group.entries()) {
        const own = answers[at];
        if (own === undefined) fail(new Error(`${this.what}: a call of a group has no answer`));
        else answer(own);
      }
    } catch (cause) {
      for (const { fail } of group) fail(cause);
    } finally {
      this.groups -= 1;
      this.pump();
    }
  }
}

function tooMany(what: string, count: number): Failure {
  const message = `${what}: ${count} calls wait already`;
  return new Failure('retry', 'UNAVAILABLE', message, { retryAfterMs: 100 });
}
