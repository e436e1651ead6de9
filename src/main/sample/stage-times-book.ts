/** Stage times by command, as the process logs them; whoever asks early waits a moment. */
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import type { Timers } from '../../ports/timers.ts';
import { stageTimesOf, type LogLine, type StageTimes } from './log-lines.ts';

/** The line is written right after the reply; it only has to come through the pipe. */
const waitMs = 1_000;

/** See the file header. One per room. */
export class StageTimesBook {
  private readonly roomId: string;
  private readonly timers: Timers;
  private readonly entries = new Map<string, Deferred<StageTimes>>();

  constructor(roomId: string, timers: Timers) {
    this.roomId = roomId;
    this.timers = timers;
  }

  /** Looks at a line; other rooms' lines and other kinds are ignored. */
  read(line: LogLine): void {
    const found = stageTimesOf(line);
    if (found?.roomId === this.roomId) this.entry(found.commandId).resolve(found.times);
  }

  /** The times of a command, or null when its line did not come within a second. */
  async of(commandId: string): Promise<StageTimes | null> {
    let cancel = (): void => undefined;
    const late = new Promise<null>((resolve) => {
      cancel = this.timers.after(waitMs, () => resolve(null));
    });
    const times = await Promise.race([this.entry(commandId).promise, late]);
    cancel();
    return times;
  }

  private entry(commandId: string): Deferred<StageTimes> {
    const entry = this.entries.get(commandId) ?? createDeferred<StageTimes>();
    this.entries.set(commandId, entry);
    return entry;
  }
}
