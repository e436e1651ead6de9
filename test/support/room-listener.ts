/** Listening to watched rooms of a cell rig. */
import { roomKeyOf, type RoomId, type RoomVersion, type UserId } from '../../src/domain/ids.ts';
import { Failure } from '../../src/kernel/failure.ts';
import type { OwnerWatch, WatchMessage } from '../../src/ports/room-watch.ts';
import { rigApp, type RigNode } from './cell-rig.ts';
import { eventually } from './stepped-time.ts';

/** A watch in a user's own name. */
export const asUser = (userId: string): Partial<OwnerWatch> => ({
  asker: { role: 'user', userId: userId as UserId },
});
/** A watch behind this version. */
export const after = (version: bigint): Partial<OwnerWatch> => ({
  afterVersion: version as RoomVersion,
});

/** A watch that a test listens to as it likes. */
export class Listener {
  readonly heard: WatchMessage[] = [];
  readonly ending: Promise<string>;
  private readonly caller = new AbortController();
  private readonly messages: AsyncIterable<WatchMessage>;
  private isHeld: boolean;
  private release: () => void = () => undefined;

  constructor(node: RigNode, room: string, change: Partial<OwnerWatch> = {}, isHeld = false) {
    const watch: OwnerWatch = {
      roomKey: roomKeyOf(rigApp, room as RoomId),
      asker: { role: 'service', userId: null },
      afterVersion: 0n as RoomVersion,
      forwardedBy: '',
      ...change,
    };
    this.isHeld = isHeld;
    this.messages = node.cell.reads.watch(watch, this.caller.signal);
    this.ending = this.listen();
  }

  /** `view 2`, `resumed 5`, `step 3 RoomUserJoined`, `end DRAINING behind 3`. */
  get lines(): string[] {
    return this.heard.filter(({ kind }) => kind !== 'alive').map(lineOf);
  }

  /** Versions of the steps. */
  get versions(): bigint[] {
    return this.heard.flatMap((message) => (message.kind === 'step' ? [message.step.version] : []));
  }

  /** Takes nothing behind the next message until `goOn`. */
  hold(): void {
    this.isHeld = true;
  }

  goOn(): void {
    this.isHeld = false;
    this.release();
  }

  leave(): void {
    this.caller.abort();
  }

  hears(line: string): Promise<unknown> {
    return eventually(`a watcher hears ${line}`, () => this.lines.includes(line));
  }

  private async listen(): Promise<string> {
    try {
      for await (const message of this.messages) {
        this.heard.push(message);
        if (this.isHeld) await new Promise<void>((resolve) => (this.release = resolve));
      }
      return 'ended';
    } catch (error) {
      if (error instanceof Failure) return error.reason;
      throw error;
    }
  }
}

function lineOf(message: WatchMessage): string {
  switch (message.kind) {
    case 'view':
      return `view ${message.view.version}`;
    case 'resumed':
      return `resumed ${message.version}`;
    case 'step':
      return ['step', message.step.version, ...message.step.events.map((e) => e.eventType)].join(
        ' ',
      );
    case 'end':
      return `end ${message.end.reason} behind ${message.end.resumeAfterVersion}`;
    case 'alive':
      return 'alive';
  }
}
