/**
 * One look for all who wait for its answer.
 *
 * Race (test "a read that comes while a confirmation runs waits for the next one"):
 *   1. A look is on its way to where it looks.
 *   2. What it looks at changes, and somebody learns of that.
 *   3. Somebody asks here, and gets the answer of 1: it was as before.
 * Closed by sharing a look only among those who asked before it began: what it says was then true
 * after the last of them had asked.
 */

interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly answer: (answer: Answer) => void;
  readonly fail: (cause: unknown) => void;
}

/** See the file header. One look at a time. */
export class SharedLook<Question, Answer> {
  private readonly look: (asked: readonly Question[]) => Promise<(question: Question) => Answer>;
  private waiting: Waiting<Question, Answer>[] = [];
  private running = false;

  /** `look` answers each of the questions that it was begun for; what it rejects with, they all hear. */
  constructor(look: (asked: readonly Question[]) => Promise<(question: Question) => Answer>) {
    this.look = look;
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((answer, fail) => {
      this.waiting.push({ question, answer, fail });
      if (!this.running) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const asked = this.waiting;
      this.waiting = [];
      try {
        const answerTo = await this.look(asked.map(({ question }) => question));
        for (const { question, answer } of asked) answer(answerTo(question));
      } catch (cause) {
        for (const { fail } of asked) fail(cause);
      }
    }
    this.running = false;
  }
}
