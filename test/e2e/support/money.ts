/**
 * INV-22 and INV-23 as an outside auditor checks them: the wallet's books over the sandbox's control
 * pages, the product's tables by SQL, rooms over gRPC, and what callers were told. Nothing that the
 * cell believes takes part.
 */
import type { AppCode, CommandId, RoomId } from '../../../src/domain/ids.ts';
import type { RoomGiftSent } from '../../../src/domain/gift/gift-events.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import { debitKeyOf } from '../../../src/protocol/debit.ts';
import type { Decoded, EnvelopeEvent } from '../../../src/protocol/records.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { fleetApp, type Fleet, type FleetClient } from './fleet.ts';
import type { GiftAnswer } from './gift-play.ts';
import { allDelivered, arrivedAt, walletAccounts, walletRecord } from './observe.ts';

/** What the books say once they agree. */
export interface Books {
  /** Debits less refunds: the coins of all committed gifts. */
  readonly keptCoins: bigint;
  /** Commands that gave something. */
  readonly gifts: number;
  readonly debits: number;
  readonly refunds: number;
  /** Keys that were closed without a refund. */
  readonly closedKeys: number;
}

/** One SendGift of the log, with the events that stand for it in `room_events`. */
interface GiftCommand {
  readonly room: string;
  readonly commandId: string;
  readonly outcome: string;
  readonly version: string | null;
  readonly key: string;
  /** As recovery reads them: from the log row. */
  readonly logged: readonly RoomGiftSent[];
  /** As the outside gets them. */
  readonly sent: readonly { readonly eventId: string; readonly event: RoomGiftSent }[];
}

const codec = createCodec();

/**
 * Waits until nothing is owed back and everything is delivered, then compares both sides. Throws
 * with every difference; call it when no gift and no ordered fault is under way any more.
 */
export async function moneyAddsUp(
  fleet: Fleet,
  client: FleetClient,
  answers: readonly GiftAnswer[],
): Promise<Books> {
  await nothingOwed(fleet);
  await allDelivered(fleet, 90_000);
  const gifts = await giftCommands(fleet);
  const wallet = await walletRecord(fleet);
  const faults = [
    ...keyFaults(gifts, wallet),
    ...(await accountFaults(fleet, gifts, wallet)),
    ...(await roomFaults(fleet, client, gifts)),
    ...(await deliveryFaults(fleet, gifts)),
    ...(await settlementFaults(fleet, wallet)),
    ...answers.flatMap((answer) => answerFaults(gifts, answer)),
  ];
  if (faults.length > 0) throw new Error(`the money does not add up:\n${faults.join('\n')}`);
  return {
    keptCoins: BigInt(wallet.sums.debited_coins) - BigInt(wallet.sums.refunded_coins),
    gifts: gifts.filter(({ outcome }) => outcome === 'applied').length,
    debits: wallet.sums.debits,
    refunds: wallet.sums.refunds,
    closedKeys: wallet.keys.filter((key) => key.state === 'voided' && key.debits === 0).length,
  };
}

/** Waits until every void was acknowledged. */
export async function nothingOwed(fleet: Fleet): Promise<void> {
  let seen: unknown = null;
  await waitUntil(
    'no row of wallet_settlement is open',
    async () => {
      const rows = await fleet.sql(
        "SELECT command_id, reason, tries, last_error FROM wallet_settlement WHERE status <> 'settled'",
      );
      seen = rows;
      return rows.length === 0;
    },
    { limitMs: 90_000, everyMs: 100, seen: () => seen },
  );
}

/** Every SendGift that stands in the log. */
async function giftCommands(fleet: Fleet): Promise<GiftCommand[]> {
  const rows = await fleet.sql(
    'SELECT room_id, command_id, outcome, applied_version, events FROM room_command_log ' +
      "WHERE app_code = ? AND command_type = 'SendGift'",
    [fleetApp],
  );
  const events = await fleet.sql(
    'SELECT room_id, room_version, event_id, envelope FROM room_events ' +
      "WHERE app_code = ? AND event_type = 'RoomGiftSent' ORDER BY room_version, event_index",
    [fleetApp],
  );
  const sentAt = new Map<string, GiftCommand['sent'][number][]>();
  for (const row of events) {
    const place = `${String(row['room_id'])} ${String(row['room_version'])}`;
    const { event } = readable(codec.decodeEnvelope(row['envelope'] as Buffer));
    const sent = { eventId: String(row['event_id']), event: giftOf(event) };
    sentAt.set(place, [...(sentAt.get(place) ?? []), sent]);
  }
  const gifts = rows.map((row): GiftCommand => {
    const [room, commandId] = [String(row['room_id']), String(row['command_id'])];
    const version = row['applied_version'] === null ? null : String(row['applied_version']);
    const bytes = row['events'] as Buffer | null;
    const place = `${room} ${version}`;
    const sent = sentAt.get(place) ?? [];
    sentAt.delete(place);
    return {
      room,
      commandId,
      outcome: String(row['outcome']),
      version,
      key: debitKeyOf(fleetApp as AppCode, room as RoomId, commandId as CommandId),
      logged: bytes === null ? [] : giftsIn(readable(codec.decodeLoggedEvents(bytes))),
      sent,
    };
  });
  if (sentAt.size > 0) throw new Error(`events of no command: ${[...sentAt.keys()].join()}`);
  return gifts;
}

function readable<Value>(decoded: Decoded<Value>): Value {
  if (!decoded.ok) throw new Error(`stored bytes cannot be read: ${decoded.fault}`);
  return decoded.value;
}

/** What a room's rocket makes of a gift is no money. */
function giftsIn(logged: readonly EnvelopeEvent[]): RoomGiftSent[] {
  return logged.filter(({ type }) => type !== 'RoomRocketFueled').map(giftOf);
}

function giftOf(event: EnvelopeEvent | null): RoomGiftSent {
  if (event?.type !== 'RoomGiftSent') throw new Error(`a gift left a ${event?.type ?? 'nothing'}`);
  return event;
}

function coinsOf(events: readonly RoomGiftSent[]): bigint {
  return events.reduce((sum, { coins }) => sum + coins, 0n);
}

type Wallet = Awaited<ReturnType<typeof walletRecord>>;

/** Under every key: at most one debit and one refund, and what was kept is what was given for it. */
function keyFaults(gifts: readonly GiftCommand[], wallet: Wallet): string[] {
  const byKey = new Map(gifts.map((gift) => [gift.key, gift]));
  const faults: string[] = [];
  for (const { key, debits, refunds, conflicts, ...rest } of wallet.keys) {
    const gift = byKey.get(key);
    byKey.delete(key);
    const name = `key of ${gift?.room ?? 'no room'} ${gift?.commandId ?? key}`;
    if (debits > 1 || refunds > debits)
      faults.push(`${name}: ${debits} debits, ${refunds} refunds`);
    if (conflicts > 0) faults.push(`${name}: asked again with another request`);
    const kept = BigInt(rest.debited_coins) - BigInt(rest.refunded_coins);
    const given = coinsOf((gift?.sent ?? []).map(({ event }) => event));
    if (kept !== given) faults.push(`${name}: ${kept} coins kept, ${given} given`);
    if (gift !== undefined && coinsOf(gift.logged) !== given) {
      faults.push(`${name}: the log row holds other coins than its events`);
    }
  }
  for (const gift of byKey.values()) {
    if (gift.sent.length > 0) faults.push(`${gift.room} ${gift.commandId}: given without a debit`);
  }
  return faults;
}

/** Balances are the opening ones less what was kept; senders paid and targets earned what was given. */
async function accountFaults(
  fleet: Fleet,
  gifts: readonly GiftCommand[],
  wallet: Wallet,
): Promise<string[]> {
  const faults: string[] = [];
  const events = gifts.flatMap(({ sent }) => sent.map(({ event }) => event));
  for (const account of await walletAccounts(fleet)) {
    const user = account.user_id;
    const own = wallet.entries.filter((entry) => entry.user_id === user);
    const sumOf = (wanted: string): bigint => {
      const such = own.filter(({ kind }) => kind === wanted);
      return such.reduce((sum, { coins }) => sum + BigInt(coins), 0n);
    };
    const kept = sumOf('debit') - sumOf('refund');
    const won = sumOf('prize') - sumOf('prizeBack');
    const paid = coinsOf(events.filter(({ senderUserId }) => senderUserId === user));
    const earned = coinsOf(events.filter(({ targetUserId }) => targetUserId === user));
    const expected = BigInt(account.opening_coins) + BigInt(account.adjusted_coins) - kept + won;
    if (BigInt(account.coins) !== expected) faults.push(`${user} has not opening less kept coins`);
    if (kept !== paid) faults.push(`${user} paid ${kept}, gave ${paid}`);
    if (BigInt(account.income_coins) !== earned) {
      faults.push(`${user} earned ${account.income_coins}, was given ${earned}`);
    }
  }
  return faults;
}

/** Heat in list and view, and the sums per user, hold every committed gift once. */
async function roomFaults(
  fleet: Fleet,
  client: FleetClient,
  gifts: readonly GiftCommand[],
): Promise<string[]> {
  const entries = await fleet.sql(
    'SELECT l.room_id, l.heat, COALESCE(SUM(s.sent_coins), 0) AS sent, ' +
      '(SELECT COALESCE(SUM(w.coins), 0) FROM room_week_contributions w ' +
      'WHERE w.app_code = l.app_code AND w.room_id = l.room_id) AS by_week, ' +
      '(SELECT COALESCE(SUM(u.coins), 0) FROM room_user_week_contributions u ' +
      'WHERE u.app_code = l.app_code AND u.room_id = l.room_id) AS by_user_week, ' +
      'COALESCE(SUM(s.received_coins), 0) AS received FROM room_list_entries l ' +
      'LEFT JOIN room_user_gift_stats s ON s.app_code = l.app_code AND s.room_id = l.room_id ' +
      'WHERE l.app_code = ? GROUP BY l.app_code, l.room_id, l.heat',
    [fleetApp],
  );
  const token = await fleet.token('observer', 'service');
  const faults: string[] = [];
  for (const entry of entries) {
    const room = String(entry['room_id']);
    const inRoom = gifts.filter((gift) => gift.room === room);
    const given = coinsOf(inRoom.flatMap(({ sent }) => sent.map(({ event }) => event)));
    const asked = { appCode: fleetApp, roomId: room };
    const { snapshot } = await client.queries.getRoomSnapshot(asked, { timeoutMs: 20_000, token });
    const seen = {
      'heat of the list': BigInt(String(entry['heat'])),
      'heat of the view': snapshot?.roomHeat,
      'sums of senders': BigInt(String(entry['sent'])),
      'sums of targets': BigInt(String(entry['received'])),
      'sums of weeks': BigInt(String(entry['by_week'])),
      'sums of senders by weeks': BigInt(String(entry['by_user_week'])),
    };
    for (const [what, coins] of Object.entries(seen)) {
      if (coins !== given) faults.push(`${room}: ${what} is ${coins}, ${given} were given`);
    }
  }
  const known = new Set(entries.map((entry) => String(entry['room_id'])));
  const lost = gifts.filter(({ room, sent }) => sent.length > 0 && !known.has(room));
  return [...faults, ...lost.map(({ room }) => `${room} took gifts and is in no list`)];
}

/** Every gift's event has one row per destination and arrived there, with the same bytes each time. */
async function deliveryFaults(fleet: Fleet, gifts: readonly GiftCommand[]): Promise<string[]> {
  const faults: string[] = [];
  for (const destination of ['im', 'activity'] as const) {
    const rows = await fleet.sql(
      "SELECT event_id, COUNT(*) AS n FROM room_outbox WHERE event_type = 'RoomGiftSent' " +
        'AND destination = ? GROUP BY event_id',
      [destination],
    );
    const counts = new Map(rows.map((row) => [String(row['event_id']), Number(row['n'])]));
    const arrived = await arrivedAt(fleet, destination);
    for (const { room, commandId, sent } of gifts) {
      const there = new Map((arrived.get(room) ?? []).map((event) => [event.event_id, event]));
      for (const { eventId } of sent) {
        const name = `${room} ${commandId} at ${destination}`;
        if (counts.get(eventId) !== 1) faults.push(`${name}: ${counts.get(eventId)} outbox rows`);
        if (there.get(eventId)?.different !== 0) faults.push(`${name}: not arrived, or changed`);
      }
    }
    const eventIds = gifts.flatMap(({ sent }) => sent).length;
    if (counts.size !== eventIds) faults.push(`${counts.size} outbox events of ${eventIds} gifts`);
  }
  return faults;
}

/** What a settled row says was refunded is what the wallet gave back under its key. */
async function settlementFaults(fleet: Fleet, wallet: Wallet): Promise<string[]> {
  const rows = await fleet.sql(
    'SELECT debit_key, refunded_coins FROM wallet_settlement WHERE prize_of IS NULL',
  );
  const byKey = new Map(wallet.keys.map((key) => [key.key, key]));
  return rows.flatMap((row) => {
    const key = byKey.get(String(row['debit_key']));
    const isSame = key?.state === 'voided' && key.refunded_coins === String(row['refunded_coins']);
    return isSame
      ? []
      : [`a settled row of ${String(row['refunded_coins'])} coins is not the wallet's`];
  });
}

/** What a caller was told stands in the log: all of a gift, or nothing of it. */
function answerFaults(gifts: readonly GiftCommand[], answer: GiftAnswer): string[] {
  const { room, commandId, end, gift } = answer;
  const name = `answer to ${room} ${commandId}`;
  const row = gifts.find((other) => other.room === room && other.commandId === commandId);
  if (end.kind === 'refused') {
    return row === undefined || row.sent.length === 0 ? [] : [`${name}: ${end.reason}, but given`];
  }
  const { billingReceiptId, roomVersion } = end.result;
  if (row?.version !== String(roomVersion)) return [`${name}: the log has it at ${row?.version}`];
  const targets = row.sent.map(({ event }) => event.targetUserId);
  if (String(targets) !== String(gift.to)) return [`${name}: given to ${String(targets)}`];
  const isSame = row.sent.every(({ event }) => event.billingReceiptId === billingReceiptId);
  return isSame ? [] : [`${name}: another receipt than in its events`];
}
