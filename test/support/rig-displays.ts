/** The display topic of a cell rig's node. */
import type { RoomKey } from '../../src/domain/ids.ts';
import type { DisplaySink, OutgoingDisplay } from '../../src/ports/display-sink.ts';

/** Keeps the displays that were offered; those of dropped rooms stay in `offered`. */
export class RigDisplays implements DisplaySink {
  readonly offered: OutgoingDisplay[] = [];
  readonly dropped: ((roomKey: RoomKey) => boolean)[] = [];

  start(): Promise<void> {
    return Promise.resolve();
  }

  offer(display: OutgoingDisplay): void {
    this.offered.push(display);
  }

  drop(isOf: (roomKey: RoomKey) => boolean): void {
    this.dropped.push(isOf);
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
