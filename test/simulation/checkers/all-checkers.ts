/** Every judge of a simulated run. */
import { agreeingTables } from './agreeing-tables.ts';
import { answeredCommands } from './answered-commands.ts';
import { appsApart } from './apps-apart.ts';
import { arrivals } from './arrivals.ts';
import { boards } from './boards.ts';
import type { CheckerFactory } from './checker.ts';
import { coinTotals } from './coin-totals.ts';
import { copiedList } from './copied-list.ts';
import { displayPace } from './display-pace.ts';
import { fence } from './fence.ts';
import { giftSums } from './gift-sums.ts';
import { groupBans } from './group-bans.ts';
import { levels } from './levels.ts';
import { lookedUp } from './looked-up.ts';
import { luckyGifts } from './lucky-gifts.ts';
import { money } from './money.ts';
import { notSent } from './not-sent.ts';
import { offsetFates } from './offset-fates.ts';
import { orderInTime } from './order-in-time.ts';
import { outboxRows } from './outbox-rows.ts';
import { ownerReads } from './owner-reads.ts';
import { passedOffsets } from './passed-offsets.ts';
import { presence } from './presence.ts';
import { putOut } from './put-out.ts';
import { rebuiltState } from './rebuilt-state.ts';
import { rememberedRefusals } from './remembered-refusals.ts';
import { retiredRows } from './retired-rows.ts';
import { robots } from './robots.ts';
import { rocketRounds } from './rocket-rounds.ts';
import { seats } from './seats.ts';
import { sentCommands } from './sent-commands.ts';
import { settledCalls } from './settled-calls.ts';
import { shownDisplays } from './shown-displays.ts';
import { sweptUsers } from './swept-users.ts';
import { uniqueRows } from './unique-rows.ts';
import { versionChain } from './version-chain.ts';
import { watchedRooms } from './watched-rooms.ts';

/** See the file header. */
export const allCheckers: readonly CheckerFactory[] = [
  answeredCommands,
  uniqueRows,
  versionChain,
  agreeingTables,
  fence,
  offsetFates,
  passedOffsets,
  lookedUp,
  sentCommands,
  notSent,
  orderInTime,
  ownerReads,
  rebuiltState,
  settledCalls,
  outboxRows,
  arrivals,
  shownDisplays,
  displayPace,
  money,
  luckyGifts,
  coinTotals,
  giftSums,
  rocketRounds,
  seats,
  presence,
  rememberedRefusals,
  sweptUsers,
  watchedRooms,
  putOut,
  groupBans,
  copiedList,
  boards,
  robots,
  levels,
  retiredRows,
  appsApart,
];
