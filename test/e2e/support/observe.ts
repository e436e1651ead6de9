/**
 * What an observer sees who asks neither the gateway nor the cell: rows of the database past every
 * proxy, offsets of the topics, and failures as the wire carries them. Tests judge by these.
 */
import { Kafka, logLevel } from 'kafkajs';
import { GrpcCallError } from '../../../src/drivers/grpc/grpc-client.ts';
import type { WireFailure } from '../../../src/drivers/grpc/error-details.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Fleet } from './fleet.ts';

/** One row of the command log, as far as tests compare it. */
export interface LogRow {
  readonly commandId: string;
  readonly type: string;
  readonly actor: string;
  readonly outcome: string;
  /** Decimal; null unless the command changed the room. */
  readonly version: string | null;
  /** Hexadecimal: the stored answer, byte for byte. */
  readonly result: string;
}

/** The failure that a call ends with; throws when the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<WireFailure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GrpcCallError) return error.failure;
    throw error;
  }
  throw new Error('a call succeeded that was to be refused');
}

/** The command log of one room in the order of its versions. */
export async function logOf(fleet: Fleet, room: string): Promise<LogRow[]> {
  const rows = await fleet.sql(
    'SELECT command_id, command_type, actor_user_id, outcome, applied_version, HEX(result) AS result ' +
      'FROM room_command_log WHERE room_id = ? ORDER BY decided_version, command_id',
    [room],
  );
  return rows.map((row) => ({
    commandId: String(row['command_id']),
    type: String(row['command_type']),
    actor: String(row['actor_user_id']),
    outcome: String(row['outcome']),
    version: row['applied_version'] === null ? null : String(row['applied_version']),
    result: String(row['result']),
  }));
}

/** Rows of the whole command log. */
export async function logSize(fleet: Fleet): Promise<number> {
  return countOf(fleet, 'SELECT COUNT(*) AS n FROM room_command_log');
}

/** The number that a `SELECT … AS n` answers. */
export async function countOf(
  fleet: Fleet,
  text: string,
  values: readonly (string | number)[] = [],
): Promise<number> {
  const [row] = await fleet.sql(text, values);
  return Number(row?.['n']);
}

/** Records that the commands topic ever took, over all partitions. */
export async function recordsProduced(fleet: Fleet): Promise<bigint> {
  const ends = await commandOffsets(fleet);
  return ends.reduce((sum, { end }) => sum + end, 0n);
}

/** Log end of every partition of the commands topic. */
export async function commandOffsets(
  fleet: Fleet,
): Promise<{ readonly partition: number; readonly end: bigint }[]> {
  const admin = observerOf(fleet).admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(commandsTopicOf(fleet));
    return offsets
      .map(({ partition, high }) => ({ partition, end: BigInt(high) }))
      .sort((x, y) => x.partition - y.partition);
  } finally {
    await admin.disconnect();
  }
}

/** Name of the fleet's commands topic. */
export function commandsTopicOf(fleet: Fleet): string {
  return `${fleet.space.topic('room')}.commands`;
}

/** A Kafka client of the observer's own. */
export function observerOf(fleet: Fleet): Kafka {
  return new Kafka({
    clientId: 'observer',
    brokers: fleet.space.kafkaBrokers,
    logLevel: logLevel.NOTHING,
  });
}

/** A counter of one process, summed over its labels that contain `labels`; 0 while there is none. */
export async function counterOf(
  { opsPort }: { readonly opsPort: number },
  name: string,
  labels = '',
): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  return page
    .split('\n')
    .filter((line) => line.startsWith(`roomcell_${name}{`) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

/** One event as the sandbox received it; counts are arrivals beyond the first. */
export interface Arrived {
  readonly event_id: string;
  readonly type: string;
  readonly version: string;
  readonly index: number;
  readonly repeats: number;
  readonly deduplicated: number;
  readonly different: number;
}

/** What the sandbox received, by room, in the order of first arrival. */
export async function arrivedAt(
  fleet: Fleet,
  destination: 'im' | 'activity',
): Promise<Map<string, readonly Arrived[]>> {
  const url = `${fleet.sandboxControl}/sandbox/received?destination=${destination}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  const page = (await answer.json()) as {
    readonly rooms: readonly { readonly room_id: string; readonly events: readonly Arrived[] }[];
  };
  return new Map(page.rooms.map(({ room_id, events }) => [room_id, events]));
}

/** Orders a fault at the sandbox, or clears all with `{ clear: true }`. */
export async function orderFault(
  fleet: Fleet,
  fault: Readonly<Record<string, unknown>>,
): Promise<void> {
  const body = JSON.stringify(fault);
  const answer = await fetch(`${fleet.sandboxControl}/sandbox/faults`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`the sandbox refused a fault: ${await answer.text()}`);
}

/** What the sandbox's wallet wrote down; coins are decimal. */
export interface WalletRecord {
  readonly sums: WalletSums;
  /** Debits that came for a known key with another request. */
  readonly conflicts: number;
  readonly keys: readonly (WalletSums & {
    readonly app_code: string;
    readonly key: string;
    readonly state: 'debited' | 'voided';
    readonly repeats: number;
    readonly conflicts: number;
    readonly late_debits: number;
  })[];
  /** Every movement of a payer's coins, in its order. */
  readonly entries: readonly {
    readonly kind: 'debit' | 'refund';
    readonly key: string;
    readonly user_id: string;
    readonly coins: string;
  }[];
}

/** Counted from the wallet's entries alone. */
export interface WalletSums {
  readonly debits: number;
  readonly refunds: number;
  readonly debited_coins: string;
  readonly refunded_coins: string;
}

/** The books of the sandbox's wallet. */
export async function walletRecord(fleet: Fleet): Promise<WalletRecord> {
  return (await sandboxPage(fleet, 'wallet/ledger')) as WalletRecord;
}

/** What a user has at the sandbox's wallet; coins are decimal. */
export interface WalletAccount {
  readonly user_id: string;
  readonly opening_coins: string;
  /** What orders of a test changed. */
  readonly adjusted_coins: string;
  readonly coins: string;
  /** Parts of other users' payments that were not given back. */
  readonly income_coins: string;
}

/** Everybody whom the sandbox's wallet has seen. */
export async function walletAccounts(fleet: Fleet): Promise<readonly WalletAccount[]> {
  const page = await sandboxPage(fleet, 'wallet/balances');
  return (page as { readonly balances: readonly WalletAccount[] }).balances;
}

/** Coins of everybody whom the sandbox's wallet has seen, by user. */
export async function walletBalances(fleet: Fleet): Promise<Map<string, bigint>> {
  const accounts = await walletAccounts(fleet);
  return new Map(accounts.map(({ user_id, coins }) => [user_id, BigInt(coins)]));
}

/** Gives a user so many coins at the sandbox's wallet. */
export async function setWalletBalance(
  fleet: Fleet,
  account: { readonly appCode: string; readonly userId: string },
  coins: bigint,
): Promise<void> {
  const body = { app_code: account.appCode, user_id: account.userId, coins: String(coins) };
  const answer = await fetch(`${fleet.sandboxControl}/sandbox/wallet/balances`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the sandbox refused a balance: ${await answer.text()}`);
}

async function sandboxPage(fleet: Fleet, page: string): Promise<unknown> {
  const url = `${fleet.sandboxControl}/sandbox/${page}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer.json();
}

/** Waits until every outbox row is delivered. */
export async function allDelivered(fleet: Fleet, limitMs = 60_000): Promise<void> {
  const byStatus = (): Promise<Record<string, unknown>[]> =>
    fleet.sql('SELECT status, destination, COUNT(*) AS n FROM room_outbox GROUP BY 1, 2');
  let seen: unknown = null;
  await waitUntil(
    'every outbox row is delivered',
    async () => {
      const rows = await byStatus();
      seen = rows;
      return rows.length > 0 && rows.every(({ status }) => status === 'delivered');
    },
    { limitMs, everyMs: 100, seen: () => seen },
  );
}

/** Events as committed, by room, in the order in which a destination must first see them. */
export async function committedEvents(
  fleet: Fleet,
  destination: 'im' | 'activity',
): Promise<Map<string, readonly string[]>> {
  const rows = await fleet.sql(
    // The birth of a room makes its group at IM and sends no message.
    'SELECT room_id, event_id FROM room_outbox WHERE destination = ? ' +
      "AND NOT (destination = 'im' AND event_type IN ('RoomCreated', 'RoomUserUnbanned')) " +
      'ORDER BY room_id, room_version, event_index',
    [destination],
  );
  const byRoom = new Map<string, string[]>();
  for (const row of rows) {
    const room = String(row['room_id']);
    byRoom.set(room, [...(byRoom.get(room) ?? []), String(row['event_id'])]);
  }
  return byRoom;
}
