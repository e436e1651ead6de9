/**
 * The display topic as the cell writes it. What gathers while a send is in flight goes out with the
 * next one; a room's displays wait in a queue of their own, so that a busy room takes no place of
 * another. Acknowledged by the leader only, and what a broker does not take is counted and forgotten.
 */
import type { RoomKey } from '../../domain/ids.ts';
import { createDeferred, type Deferred } from '../../kernel/deferred.ts';
import { KeyedQueues, type PushCost } from '../../kernel/keyed-queues.ts';
import type { DisplaySink, OutgoingDisplay } from '../../ports/display-sink.ts';
import type { DriverPorts } from '../driver-ports.ts';
import { settleWithin } from '../settle-within.ts';
import { displayMessage } from './log-records.ts';
import type { LogProducer } from './log-transport.ts';

/** Times in ms. */
export interface DisplaySinkSettings {
  /** Displays of one room that may wait; beyond that its oldest is dropped. Default 32. */
  readonly perRoomMax?: number;
  /** Displays that may wait in all; beyond that the room that waits longest loses one. Default 10000. */
  readonly waitingMax?: number;
  /** What waited longer is dropped instead of sent. Default 5000. */
  readonly maxAgeMs?: number;
  /** A larger display is dropped. Default 64 KiB. */
  readonly recordBytesMax?: number;
  /** Default 500. */
  readonly batchRecordsMax?: number;
  /** `stop` waits so long for what is still to be sent. Default 1000. */
  readonly stopTimeoutMs?: number;
}

interface Waiting {
  readonly display: OutgoingDisplay;
  readonly offeredAtMs: number;
}

const droppedWhy: Readonly<Record<Exclude<PushCost, 'nothing'>, string>> = {
  oldest_of_key: 'room_full',
  oldest_of_all: 'node_full',
};

/** See the file header, and the port for the guarantees. */
export class LogDisplaySink implements DisplaySink {
  private readonly settings: Required<DisplaySinkSettings>;
  private readonly producer: LogProducer;
  private readonly deps: DriverPorts;
  private readonly rooms: KeyedQueues<RoomKey, Waiting>;
  private inFlight = false;
  private idle: Deferred<void> | null = null;
  private phase: 'new' | 'running' | 'stopped' = 'new';
  private pumpAsked = false;

  /** Nothing is connected before `start`. */
  constructor(settings: DisplaySinkSettings, producer: LogProducer, deps: DriverPorts) {
    this.settings = {
      perRoomMax: 32,
      waitingMax: 10_000,
      maxAgeMs: 5_000,
      recordBytesMax: 64 * 1024,
      batchRecordsMax: 500,
      stopTimeoutMs: 1_000,
      ...settings,
    };
    this.producer = producer;
    this.deps = deps;
    const { perRoomMax, waitingMax } = this.settings;
    this.rooms = new KeyedQueues({ perKeyMax: perRoomMax, totalMax: waitingMax });
  }

  async start(): Promise<void> {
    await this.producer.start();
    if (this.phase === 'new') this.phase = 'running';
    this.askPump();
  }

  offer(display: OutgoingDisplay): void {
    if (this.phase === 'stopped') return this.countDropped('stopped', 1);
    if (display.value.length > this.settings.recordBytesMax)
      return this.countDropped('too_large', 1);
    const entry = { display, offeredAtMs: this.deps.clock.monoMs() };
    const cost = this.rooms.push(display.roomKey, entry);
    if (cost !== 'nothing') this.countDropped(droppedWhy[cost], 1);
    this.askPump();
  }

  drop(isOf: (roomKey: RoomKey) => boolean): void {
    this.countDropped('lost', this.rooms.drop(isOf));
    this.tellIdle();
  }

  flush(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    this.idle ??= createDeferred();
    return this.idle.promise;
  }

  async stop(): Promise<void> {
    if (this.phase === 'running') {
      await settleWithin(this.deps.timers, this.flush(), this.settings.stopTimeoutMs);
    }
    this.phase = 'stopped';
    this.countDropped(
      'stopped',
      this.rooms.drop(() => true),
    );
    await this.producer.stop();
    this.inFlight = false;
    this.tellIdle();
  }

  /** In a microtask, so that the displays of one commit go out together. */
  private askPump(): void {
    if (this.pumpAsked) return;
    this.pumpAsked = true;
    queueMicrotask(() => {
      this.pumpAsked = false;
      if (!this.inFlight && this.phase === 'running') void this.pump();
    });
  }

  /** One send at a time: a later one could pass an earlier one inside the broker's client. */
  private async pump(): Promise<void> {
    while (this.rooms.size > 0) {
      const batch = this.takeBatch();
      if (batch.length === 0) continue;
      this.inFlight = true;
      const outcome = await this.producer.send(batch.map(displayMessage));
      this.inFlight = false;
      this.deps.metrics.count(
        'roomcell_kafka_displays_total',
        { outcome: outcome.kind },
        batch.length,
      );
      if (outcome.kind !== 'stored') {
        this.deps.log.debug({ ...outcome, displays: batch.length }, 'displays were not sent');
      }
      if (this.phase !== 'running') break;
    }
    this.tellIdle();
  }

  /** All that rooms have waiting, room after room, up to the limit; what is too old is left out. */
  private takeBatch(): OutgoingDisplay[] {
    const { batchRecordsMax, maxAgeMs } = this.settings;
    const oldestMs = this.deps.clock.monoMs() - maxAgeMs;
    const batch: OutgoingDisplay[] = [];
    while (batch.length < batchRecordsMax) {
      const taken = this.rooms.take();
      if (taken === undefined) break;
      const fresh = taken.elements.filter(({ offeredAtMs }) => offeredAtMs >= oldestMs);
      this.countDropped('too_old', taken.elements.length - fresh.length);
      batch.push(...fresh.map(({ display }) => display));
    }
    return batch;
  }

  private get isIdle(): boolean {
    return this.rooms.size === 0 && !this.inFlight;
  }

  private tellIdle(): void {
    if (!this.isIdle) return;
    this.idle?.resolve();
    this.idle = null;
  }

  private countDropped(why: string, displays: number): void {
    if (displays > 0) {
      this.deps.metrics.count('roomcell_kafka_displays_dropped_total', { why }, displays);
    }
  }
}
