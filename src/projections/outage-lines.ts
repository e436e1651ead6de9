/** One line in the log when an outage begins and one when it is over, however often it is met. */
import type { Log, LogFields } from '../ports/log.ts';

/** See the file header. One per thing that can be out. */
export class OutageLines {
  private readonly log: Log;
  private readonly texts: { readonly begun: string; readonly over: string };
  private isOut = false;

  constructor(log: Log, texts: OutageLines['texts']) {
    this.log = log;
    this.texts = texts;
  }

  /** The last try met an outage of which these are the facts; null: it met none. */
  note(facts: LogFields | null): void {
    if (facts !== null && !this.isOut) this.log.warn(facts, this.texts.begun);
    if (facts === null && this.isOut) this.log.info({}, this.texts.over);
    this.isOut = facts !== null;
  }
}
