/**
 * A run of the real cell over the memory twins, recorded as a list: every changed row, every call of
 * the wallet's books and every observation, in order. Judges see it played into empty tables, and a
 * test that doctors it changes the list or the tables, never the run.
 */
import { roomKeyOf } from '../../../../src/domain/ids.ts';
import type { AppCode, RoomId, RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import type { WalletStandIn } from '../../../../src/drivers/wallet-stand-in/wallet-stand-in.ts';
import type { WalletLedger } from '../../../../src/drivers/wallet-stand-in/wallet-ledger.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import type { DeadLetterRow } from '../../../../src/ports/commit-lane.ts';
import type { OwnerQuestion } from '../../../../src/ports/owner-reads.ts';
import type { RoomWatchMessage } from '../../../../src/ports/room-read-api.ts';
import { requestOf } from './request-of.ts';
import type {
  AskedWatch,
  CallEnd,
  Observation,
  ReadQuestion,
  SentCall,
  WatchStop,
} from '../../../simulation/observations.ts';
import { CellRig, rigOptions } from '../../../support/cell-rig.ts';
import type { RigNode, SendOptions } from '../../../support/cell-rig.ts';
import { createCodec } from '../../../../src/protocol/codec.ts';

/** Tables whose rows are recorded. */
export type TableName =
  | 'log'
  | 'events'
  | 'outbox'
  | 'listEntries'
  | 'userRooms'
  | 'owners'
  | 'settled'
  | 'rooms'
  | 'snapshots'
  | 'settlements'
  | 'giftStats'
  | 'schemaLevel'
  | 'robotAccounts'
  | 'robotQuotas'
  | 'roomDays'
  | 'roomWeeks'
  | 'userWeeks';

/** One thing that happened. */
export type Entry =
  | {
      readonly kind: 'row';
      readonly table: TableName;
      readonly key: unknown;
      /** Undefined: deleted. */
      readonly row: unknown;
    }
  | { readonly kind: 'deadLetters'; readonly rows: readonly DeadLetterRow[] }
  | { readonly kind: 'wallet'; readonly apply: (ledger: WalletLedger) => void }
  | { readonly kind: 'observed'; readonly observation: Observation };

const watched: readonly TableName[] = ['log', 'events', 'outbox', 'listEntries', 'userRooms'];
const compared: readonly TableName[] = [
  'owners',
  'settled',
  'rooms',
  'snapshots',
  'settlements',
  'giftStats',
  'roomDays',
  'roomWeeks',
  'userWeeks',
];
/** A rig whose run is being recorded. */
export class Recorder {
  readonly rig = new CellRig(2);
  readonly entries: Entry[] = [];
  readonly codec = createCodec();
  private readonly known = new Map<TableName, Map<unknown, unknown>>();
  private letters = 0;
  private calls = 0;
  private replies = 0n;
  private commitDepth = 0;

  constructor() {
    const { database, topic, wallet } = this.rig;
    for (const table of watched) {
      const rows = database[table] as typeof database.log;
      rows.watch((key, _, row) => this.entries.push({ kind: 'row', table, key, row }));
    }
    const commit = database.commit.bind(database);
    database.commit = (changes) => {
      this.commitDepth += 1;
      commit(changes);
      this.commitDepth -= 1;
      if (this.commitDepth === 0) this.committed();
    };
    const append = topic.append.bind(topic);
    topic.append = (record, recordTimeMs) => {
      const offset = append(record, recordTimeMs);
      const { partition, value, headers } = record;
      const at = { topic: rigOptions.commandsTopic, partition, offset, value, headers };
      this.observed({ kind: 'appended', atMs: this.nowMs, ...at, recordTimeMs });
      return offset;
    };
    for (const name of ['debit', 'void', 'payPrize', 'setCoins'] as const)
      this.recordWallet(wallet, name);
  }

  get nowMs(): number {
    return this.rig.time.wallMs();
  }

  /** Starts a cell whose replies are recorded. */
  async node(name: string): Promise<RigNode> {
    const node = await this.rig.startNode(name);
    const send = node.replies.send.bind(node.replies);
    node.replies.send = (replies) => {
      for (const { correlationId, value } of replies) {
        this.replies += 1n;
        const headers = { 'rc-correlation-id': correlationId };
        const at = { topic: 'rig.replies', partition: 0, offset: this.replies, value, headers };
        this.observed({ kind: 'appended', atMs: this.nowMs, ...at });
      }
      send(replies);
    };
    return node;
  }

  observed(observation: Observation): void {
    this.entries.push({ kind: 'observed', observation });
  }

  /** One command of a client, from its sending to its answer. */
  async call(
    node: RigNode | readonly RigNode[],
    room: string,
    commandId: string,
    user: string,
    body: CommandBody,
    options: SendOptions = {},
  ): Promise<CallEnd> {
    const call = this.sent(room, commandId, user, body, options);
    const sentAs = this.rig.send(room, commandId, user, body, options);
    const reply = await this.rig.reply(node, sentAs);
    const end = this.endOf(reply);
    this.observed({ kind: 'answered', atMs: this.nowMs, call, end });
    return end;
  }

  /** The observation of a command's sending. */
  sent(
    room: string,
    commandId: string,
    user: string,
    body: CommandBody,
    options: SendOptions = {},
  ): SentCall {
    this.calls += 1;
    const call: SentCall = {
      callId: this.calls,
      client: `client-${user}`,
      gateway: 'gateway-1',
      sentAtMs: this.nowMs,
      ask: {
        kind: 'command',
        meta: {
          appCode: options.app ?? 'app1',
          roomId: room,
          commandId,
          actorUserId: user,
          clientTimeMs: 0n,
          snapshotMode: options.view === true ? 'view' : 'none',
        },
        role: 'user',
        request: requestOf(body),
        ttlMs: options.ttlMs ?? 5_000,
      },
    };
    this.observed({ kind: 'sent', atMs: this.nowMs, call });
    return call;
  }

  /** A question to a room's owner, as the gateway puts it to `node`: by the user, or from above. */
  async read(node: RigNode, roomId: string, question: ReadQuestion, userId = ''): Promise<CallEnd> {
    this.calls += 1;
    const role = userId === '' ? 'service' : 'user';
    const ask = { kind: 'readOwner', appCode: 'app1', roomId, role, userId, question } as const;
    const { calls: callId, nowMs: sentAtMs } = this;
    const client = `client-${userId}`;
    const call: SentCall = { callId, client, gateway: 'gateway-1', sentAtMs, ask };
    this.observed({ kind: 'sent', atMs: sentAtMs, call });
    const end = await readEnd(node, ask);
    this.observed({ kind: 'answered', atMs: this.nowMs, call, end });
    return end;
  }

  /** Watches a room of the first app until so many messages have come, or the stream has ended. */
  async watch(
    node: RigNode,
    roomId: string,
    { afterVersion = 0n, userId = '', messages = 1 },
  ): Promise<void> {
    this.calls += 1;
    const role = userId === '' ? 'service' : 'user';
    const asked = { appCode: 'app1', roomId, role, userId, afterVersion } as const;
    const watch = { ...asked, watchId: this.calls, client: 'watcher', gateway: 'gateway-1' };
    this.observed({ kind: 'watchAsked', atMs: this.nowMs, watch });
    const tell = (message: RoomWatchMessage): void =>
      this.observed({ kind: 'watchTold', atMs: this.nowMs, watch, message });
    const stop = await heardWatch(node, asked, messages, tell);
    this.observed({ kind: 'watchStopped', atMs: this.nowMs, watch, stop });
  }

  private endOf(reply: Awaited<ReturnType<CellRig['reply']>>): CallEnd {
    if (reply.kind === 'heartbeats') return { kind: 'heartbeatTaken' };
    if (reply.kind === 'refusal') {
      return { kind: 'refused', reason: reply.reason, facts: { ...reply.facts, produced: 'yes' } };
    }
    const decoded = this.codec.decodeResult(reply.resultBytes);
    if (!decoded.ok) throw new Error(decoded.fault);
    const result = decoded.value;
    const { replayed, view } = reply;
    if (result.outcome !== 'rejected') return { kind: 'ok', result, replayed, view };
    const version = { room_version: String(result.roomVersion), replayed: String(replayed) };
    const facts = { ...result.facts, ...version, produced: 'yes' };
    return { kind: 'refused', reason: result.reason, facts };
  }

  private committed(): void {
    const { database } = this.rig;
    for (const table of compared) {
      const known = this.known.get(table) ?? new Map<unknown, unknown>();
      this.known.set(table, known);
      for (const [key, row] of database[table] as Map<unknown, unknown>) {
        if (known.get(key) === row) continue;
        known.set(key, row);
        this.entries.push({ kind: 'row', table, key, row });
      }
    }
    if (database.deadLetters.length !== this.letters) {
      this.letters = database.deadLetters.length;
      this.entries.push({ kind: 'deadLetters', rows: [...database.deadLetters] });
    }
    this.observed({ kind: 'committed', atMs: this.nowMs });
  }

  private recordWallet(
    wallet: WalletStandIn,
    name: 'debit' | 'void' | 'payPrize' | 'setCoins',
  ): void {
    const ledger = wallet.ledger as unknown as Record<string, (...given: unknown[]) => unknown>;
    const called = ledger[name]?.bind(ledger);
    ledger[name] = (...given) => {
      this.entries.push({
        kind: 'wallet',
        apply: (copy) => {
          (copy as unknown as typeof ledger)[name]?.(...given);
        },
      });
      return called?.(...given);
    };
  }
}

async function readEnd(
  node: RigNode,
  { appCode, roomId, role, userId, question }: Extract<SentCall['ask'], { kind: 'readOwner' }>,
): Promise<CallEnd> {
  const roomKey = roomKeyOf(appCode as AppCode, roomId as RoomId);
  const asker = { role, userId: userId === '' ? null : (userId as UserId) };
  const asked = { afterUserId: '', ...question } as OwnerQuestion;
  const read = { roomKey, asker, question: asked, forwardedBy: '' };
  const call = { withinMs: 1_000, signal: new AbortController().signal };
  try {
    const { roomVersion: version, ownerEpoch, answer } = await node.cell.reads.read(read, call);
    return { kind: 'read', version, ownerEpoch, answer };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'refused', reason: error.reason, facts: error.facts };
  }
}

async function heardWatch(
  { cell }: RigNode,
  asked: Pick<AskedWatch, 'appCode' | 'roomId' | 'role' | 'userId' | 'afterVersion'>,
  messages: number,
  tell: (message: RoomWatchMessage) => void,
): Promise<WatchStop> {
  const roomKey = roomKeyOf(asked.appCode as AppCode, asked.roomId as RoomId);
  const userId = asked.userId === '' ? null : (asked.userId as UserId);
  const asker = { role: asked.role, userId };
  const afterVersion = asked.afterVersion as RoomVersion;
  const left = new AbortController();
  const watch = { roomKey, asker, afterVersion, forwardedBy: '' };
  let heard = 0;
  try {
    for await (const message of cell.reads.watch(watch, left.signal)) {
      if (message.kind === 'alive') continue;
      tell(message);
      heard += 1;
      if (heard === messages) return { kind: 'over' };
    }
    return { kind: 'over' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'failed', reason: error.reason };
  }
}
