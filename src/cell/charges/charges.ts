/**
 * Starts the wallet's work for the gifts at the front of the rooms' queues, a bounded number at a
 * time, and hands each back to its room with the fact that decide needs. A slow wallet parks only
 * the rooms whose gifts wait for it (GIFT-8); decide keeps the order of offsets.
 */
import type { CellContext } from '../cell-context.ts';
import type { Partition } from '../partition/partition.ts';
import type { RoomCell } from '../registry/room-cell.ts';
import type { RoomRegistry } from '../registry/room-registry.ts';
import { ChargeRun } from './charge-run.ts';
import { Offers } from './offers.ts';
import { RulesInForce } from './rules-in-force.ts';
import { isChargeDue, isGift, type GiftItem } from './payment.ts';

/** Whom the charges tell and ask. */
export interface ChargeTargets {
  /** The room's gift has its charge. */
  roomHasWork(room: RoomCell): void;
  /** See `OwnershipCheck`. */
  confirmOwned(partition: Partition): Promise<boolean>;
}

/** See the file header. */
export class Charges {
  private readonly context: CellContext;
  private readonly registry: RoomRegistry;
  private readonly targets: ChargeTargets;
  private readonly offers: Offers;
  private readonly rules: RulesInForce;
  private readonly inFlight = new Set<GiftItem>();
  /** Rooms that found the node's limit reached. */
  private readonly waiting = new Set<RoomCell>();

  constructor(context: CellContext, registry: RoomRegistry, targets: ChargeTargets) {
    this.context = context;
    this.registry = registry;
    this.targets = targets;
    this.offers = new Offers(context);
    this.rules = new RulesInForce(context);
  }

  /**
   * Starts what is due at the front of the room's queue, as far as its unbroken run of gifts goes:
   * gifts change neither presence nor status, so each is planned on the state it will meet. One
   * call per sender, so that a sender's gifts are taken in order, and one per command id.
   */
  start(room: RoomCell): void {
    if (room.inBatch || room.phase !== 'ready') return;
    const nowMs = this.context.clock.wallMs();
    const busy = new Set<string>();
    let running = 0;
    for (const item of room.pending) {
      if (!isGift(item) || running >= this.context.options.chargesPerRoomMax) return;
      const { actorUserId, commandId } = item.command;
      const isFree = !busy.has(`user ${actorUserId}`) && !busy.has(`id ${commandId}`);
      const isDue = !item.payment.running && isFree && isChargeDue(room, item, nowMs);
      if (isDue && this.inFlight.size >= this.context.options.chargesMax) {
        this.waiting.add(room);
        return;
      }
      if (isDue) void this.charge(room, item);
      busy.add(`id ${commandId}`);
      if (item.payment.charge === null) busy.add(`user ${actorUserId}`);
      if (item.payment.running) running += 1;
    }
  }

  private async charge(room: RoomCell, item: GiftItem): Promise<void> {
    const { clock, metrics } = this.context;
    const { partition } = room;
    item.payment.running = true;
    this.inFlight.add(item);
    this.showInFlight();
    const startedMonoMs = clock.monoMs();
    try {
      if (!(await this.targets.confirmOwned(partition))) return;
      const charge = await new ChargeRun(this.context, this.offers, partition, item).run();
      if (charge === null) return;
      // Before the charge is told: nothing but the charge says that the gift can be decided.
      if (charge.kind === 'charged') {
        const rules = await this.rules.read(item.command.appCode, () => partition.active);
        if (rules === undefined) return;
        item.payment.rocketRules = rules;
      }
      item.payment.charge = charge;
      item.clock.walletDebitMs = clock.monoMs() - startedMonoMs;
      metrics.observeMs('cell_charge_ms', item.clock.walletDebitMs, { end: charge.kind });
    } catch (error) {
      // A fault of ours, or damaged rows. The gift ends as a rejection that gives the coins back.
      this.context.log.error({ roomKey: room.key, error }, 'a gift cannot be charged');
      item.payment.asked = true;
      item.payment.charge = { kind: 'notCharged', cause: 'INTERNAL' };
    } finally {
      item.payment.running = false;
      this.inFlight.delete(item);
      this.showInFlight();
      this.handBack(item, partition);
    }
  }

  /** The room may have been loaded anew meanwhile: its items moved on to the fresh one. */
  private handBack(item: GiftItem, partition: Partition): void {
    const room = this.registry.find(item.roomKey);
    if (room !== undefined && room.partition === partition) this.targets.roomHasWork(room);
    for (const other of this.waiting) {
      if (this.inFlight.size >= this.context.options.chargesMax) return;
      this.waiting.delete(other);
      if (other.usable) this.targets.roomHasWork(other);
    }
  }

  private showInFlight(): void {
    this.context.metrics.gauge('cell_charges_in_flight', this.inFlight.size);
  }
}
