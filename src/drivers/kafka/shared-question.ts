/**
 * One question for all who ask it at once. Whoever asks while it is under way waits for the next one,
 * so that every answer is one to a question that began after it was wanted.
 */

/** See the file header. `ask` may reject; then all who waited for it hear that. */
export class SharedQuestion<Answer> {
  private readonly ask: () => Promise<Answer>;
  private underWay: Promise<Answer> | null = null;
  private next: Promise<Answer> | null = null;

  constructor(ask: () => Promise<Answer>) {
    this.ask = ask;
  }

  answer(): Promise<Answer> {
    const { underWay } = this;
    if (underWay === null) return this.begin();
    const begin = (): Promise<Answer> => {
      this.next = null;
      return this.begin();
    };
    this.next ??= underWay.then(begin, begin);
    return this.next;
  }

  private begin(): Promise<Answer> {
    const asked = this.ask().finally(() => {
      if (this.underWay === asked) this.underWay = null;
    });
    this.underWay = asked;
    return asked;
  }
}
