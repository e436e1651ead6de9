/**
 * Who may be under way at a time: many runs, or one alone. A run whose row was started before and never
 * ended goes alone, for it may be what ended its worker.
 *
 * Race (test "only the row that ends its adapter is counted with it"):
 *   1. The adapter has runs of many rooms in flight; one of them ends its process.
 *   2. The rows of all of them were started and not ended. They come again, again at the same time.
 *   3. The process ends again and again, until all of them count as killers and are given up with it.
 * Closed by starting such a row when nothing else of its destination is under way, and nothing else until
 * it has ended: from the second death on the killer is alone in being counted. Each adapter has a gate of its
 * own: a destination that is silent must not hold up the rows of another one.
 *
 * Turns are given in the order in which they are asked for, so that neither kind waits for ever.
 */

/** Gives the turn back. Idempotent. */
export type LeaveGate = () => void;

interface Waiting {
  readonly isAlone: boolean;
  readonly enter: () => void;
}

/** See the file header. */
export class RunGate {
  private underWay = 0;
  private isTakenAlone = false;
  private waiting: Waiting[] = [];

  /** Resolves when it is the caller's turn; null: `signal` was aborted first. */
  async enter(isAlone: boolean, signal: AbortSignal): Promise<LeaveGate | null> {
    if (signal.aborted) return null;
    if (this.waiting.length > 0 || !this.isFreeFor(isAlone)) {
      const entered = await this.turn(isAlone, signal);
      if (!entered) return null;
    } else this.take(isAlone);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.leave();
    };
  }

  private turn(isAlone: boolean, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.waiting = this.waiting.filter((other) => other !== waiting);
        resolve(false);
        // Whoever stands behind may have waited for this one alone.
        this.admit();
      };
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp);
        this.take(isAlone);
        resolve(true);
      };
      const waiting = { isAlone, enter };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(waiting);
    });
  }

  private isFreeFor(isAlone: boolean): boolean {
    return !this.isTakenAlone && (!isAlone || this.underWay === 0);
  }

  private take(isAlone: boolean): void {
    this.underWay += 1;
    this.isTakenAlone = isAlone;
  }

  private leave(): void {
    this.underWay -= 1;
    this.isTakenAlone = false;
    this.admit();
  }

  private admit(): void {
    for (;;) {
      const [next] = this.waiting;
      if (next === undefined || !this.isFreeFor(next.isAlone)) return;
      this.waiting.shift();
      next.enter();
    }
  }
}
