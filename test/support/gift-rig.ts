/**
 * A cell rig with a room to give in: `r1`, owned by `u1`, with `u1 … u5` present, and `rose` on sale
 * for 10 coins. Everybody has 1,000 coins when first seen.
 */
import type { WalletFault } from '../../src/drivers/wallet-stand-in/wallet-faults.ts';
import { orderWalletFault } from '../../src/drivers/wallet-stand-in/wallet-faults.ts';
import type { GiftId, UserId } from '../../src/domain/ids.ts';
import type { SendGift } from '../../src/domain/gift/gift-commands.ts';
import { debitKeyOf } from '../../src/protocol/debit.ts';
import type { CellOptions } from '../../src/cell/cell-options.ts';
import type { CommandId, RoomId } from '../../src/domain/ids.ts';
import type { TracePoint } from '../../src/ports/trace.ts';
import { CellRig, createRoomBody, joinRoomBody, rigApp, type RigNode } from './cell-rig.ts';
import { eventually } from './stepped-time.ts';

/** Coins that everybody begins with. */
export const openingCoins = 1_000n;

/** See the file header. */
export interface GiftRig {
  readonly rig: CellRig;
  readonly node: RigNode;
}

/** Starts it. */
export async function openGiftRig(
  options: Partial<CellOptions> = {},
  onTrace: (point: TracePoint) => void = () => undefined,
): Promise<GiftRig> {
  const rig = new CellRig(1);
  await sell(rig, 'rose', 10n);
  const node = await rig.startNode('a', { options, onTrace });
  await fillRoom(rig, node, 'r1');
  return { rig, node };
}

/** Creates a room with the five users in it. */
export async function fillRoom(rig: CellRig, node: RigNode, room: string): Promise<void> {
  await rig.result(node, rig.send(room, 'c1', 'u1', createRoomBody()));
  for (const user of ['u1', 'u2', 'u3', 'u4', 'u5']) {
    await rig.result(node, rig.send(room, `join-${user}`, user, joinRoomBody()));
  }
}

/** Puts the next version of a gift into the catalogue. */
export async function sell(
  rig: CellRig,
  gift: string,
  coinPrice: bigint,
  lucky = false,
): Promise<void> {
  await rig.catalogue.put(rigApp, { giftId: gift as GiftId, coinPrice, onSale: true, lucky }, 0);
}

/** A SendGift body. */
export function giftBody(
  targets: readonly string[] = ['u2'],
  giftCount = 1,
  giftId = 'rose',
): SendGift {
  return {
    type: 'SendGift',
    giftId: giftId as GiftId,
    giftCount,
    targetUserIds: targets as readonly UserId[],
    comboId: '',
  };
}

/** Coins of a user by the wallet's books. */
export function coinsOf(rig: CellRig, user: string): bigint {
  return rig.wallet.ledger.account(rigApp, user as UserId).coins;
}

/** The debit key of a command in `r1`. */
export function keyOfGift(commandId: string, room = 'r1'): string {
  return debitKeyOf(rigApp, room as RoomId, commandId as CommandId);
}

/**
 * INV-22: what the wallet kept is what the committed gifts cost, and nothing waits to be given back.
 * Looks at the books of both sides, not at what the cell believes.
 */
export async function booksAgree(rig: CellRig): Promise<void> {
  await eventually('nothing is owed back', () =>
    [...rig.database.settlements.values()].every(({ status }) => status === 'settled'),
  );
  const rooms = [...rig.database.rooms.values()];
  const heat = rooms.reduce((sum, room) => sum + room.heat, 0n);
  const kept = rig.wallet.ledger.entries().reduce((sum, entry) => {
    if (entry.kind === 'debit') return sum + entry.coins;
    return entry.kind === 'refund' ? sum - entry.coins : sum;
  }, 0n);
  if (heat !== kept) throw new Error(`the rooms hold ${heat} coins, the wallet kept ${kept}`);
}

/** Orders the next fault at the wallet. */
export function orderFault(rig: CellRig, fault: WalletFault): void {
  const refusal = orderWalletFault(rig.wallet.faults, fault);
  if (refusal !== null) throw new Error(refusal);
}

/** Debits in the wallet's books so far. */
export function debitCount(rig: CellRig): number {
  return rig.wallet.ledger.entries().filter(({ kind }) => kind === 'debit').length;
}

/** Lets timers fall due in small steps until `done` holds. */
export async function passTime(rig: CellRig, what: string, done: () => boolean): Promise<void> {
  await eventually(what, () => {
    if (done()) return true;
    rig.time.advance(100);
    return false;
  });
}
