/** The gifts of the sample room: to one, to two at once, and a lucky one. */
import type { CommandResult } from '../../drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { expect, step, tellRead } from './stage.ts';
import type { Call, Stage } from './stage.ts';

/** Three roses from bob to alice: one debit, told by the wallet's own books (GIFT-3). */
export async function giveRoses(stage: Stage): Promise<void> {
  const { commands } = stage.scene;
  const before = await stage.coinsOf('bob');
  const give: Call = (meta, call) =>
    commands.sendGift({ meta, giftId: 'rose', giftCount: 3, targetUserIds: ['alice'] }, call);
  const given = await step(stage, 'bob', 'SendGift', 'roses-bob', 10n, give);
  const again = await give(stage.scene.meta('roses-bob'), stage.scene.by('bob'));
  const after = await stage.coinsOf('bob');
  expect(again.replayed, 'the repeated SendGift was not answered from the log');
  expect(before - after === 30n, `the wallet took ${before - after} coins from bob, not 30`);
  expect(given.coinBalanceAfter === after, `SendGift says that bob has ${given.coinBalanceAfter}`);
  expect(given.roomHeat === 30n, `SendGift says that the room's heat is ${given.roomHeat}`);
  await tellRead(stage, `bob had ${before} coins, the same id twice`, `now ${after}; heat 30`);
}

/** One debit, two facts, and one picture of both for the sender (BATCH-1). */
export async function giveRosesToTwo(stage: Stage, version: bigint): Promise<void> {
  const { commands } = stage.scene;
  const before = await stage.coinsOf('bob');
  const targetUserIds = ['alice', 'bob'];
  const given = await step(stage, 'bob', 'SendGift', 'roses-two', version, (meta, call) =>
    commands.sendGift({ meta, giftId: 'rose', giftCount: 1, targetUserIds }, call),
  );
  const taken = before - (await stage.coinsOf('bob'));
  const shown = given.batchDisplay?.totalCoins;
  expect(taken === 20n, `the wallet took ${taken} coins for two roses, not 20`);
  expect(shown === taken, `the picture of the gift shows ${shown} coins`);
  await tellRead(stage, 'one debit for alice and bob', `${taken} coins, two facts`);
}

/** What it draws follows from its room and id; whatever it is, the wallet's books say the same. */
export async function giveClover(stage: Stage, version: bigint): Promise<CommandResult> {
  const { commands } = stage.scene;
  const before = await stage.coinsOf('bob');
  const given = await step(stage, 'bob', 'SendGift', 'clover-bob', version, (meta, call) =>
    commands.sendGift({ meta, giftId: 'clover', giftCount: 1, targetUserIds: ['alice'] }, call),
  );
  const draw = given.luckyGift;
  const won = draw?.prizeCoins ?? 0n;
  expect(draw !== undefined, 'the lucky gift has no draw');
  expect(draw?.win === won > 0n, 'the draw says one thing and its prize another');
  const after = await stage.coinsOf('bob');
  expect(after === before - 20n + won, `bob has ${after} coins, and should have ${won} more`);
  await tellRead(stage, 'clover is a lucky gift', won === 0n ? 'wins nothing' : `wins ${won}`);
  return given;
}
