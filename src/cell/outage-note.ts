/**
 * Whether a look that comes again by itself met an outage of its store the last time. Readiness is
 * told when that changes, because for a node without work such a look is the only one that notices.
 */
import type { CellContext } from './cell-context.ts';

/** See the file header. `what` names the wait, as in `retryForever`. */
export class OutageNote {
  private readonly context: Pick<CellContext, 'onOutage'>;
  private readonly what: string;
  private noted = false;

  constructor(context: Pick<CellContext, 'onOutage'>, what: string) {
    this.context = context;
    this.what = what;
  }

  /** The last look met an outage. */
  get isOut(): boolean {
    return this.noted;
  }

  note(isOut: boolean): void {
    if (isOut === this.noted) return;
    this.noted = isOut;
    this.context.onOutage?.(this.what, isOut);
  }
}
