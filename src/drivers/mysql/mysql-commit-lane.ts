/**
 * The commit lane on MySQL: a batch becomes one transaction in two round trips. Packet 1 holds
 * everything up to the last INSERT; its affected rows and the caller's gate are checked; then COMMIT.
 * See `packet-verdict.ts` for what can go wrong before COMMIT and `settle-commit.ts` for what can
 * after it.
 */
import { InvariantError } from '../../kernel/assert.ts';
import { Failure } from '../../kernel/failure.ts';
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type {
  CommitGate,
  CommitLane,
  CommitOutcome,
  LaneBatch,
  SettledCommit,
} from '../../ports/commit-lane.ts';
import { buildCommitPacket } from './commit-packet.ts';
import type { CommitPacket } from './commit-packet.ts';
import type { MysqlServerSettings, SessionLimits } from './connection-settings.ts';
import { openLaneSession } from './lane-session.ts';
import { toFailure, toMysqlError } from './mysql-errors.ts';
import type { MysqlError } from './mysql-errors.ts';
import { packetVerdict } from './packet-verdict.ts';
import type { MysqlSession, PacketResult } from './session.ts';
import { readHowItEnded } from './settle-commit.ts';
import { SettledRows } from './settled-rows.ts';

/** Which lane this is and how long it waits. */
export interface LaneSettings {
  /** The commands topic: the first half of every fence row's key. */
  readonly topic: string;
  /** Of this process; together with `lane` it names the lock a successor finds us by. */
  readonly incarnation: string;
  readonly lane: number;
  /** For the answer to packet 1, the server's lock waits included. */
  readonly packetMs: number;
  /** For the answer to COMMIT; then its outcome is unknown. */
  readonly commitMs: number;
  /** For the gate; then it counts as a no. Rows are locked while it is awaited. */
  readonly gateMs: number;
  /** An idle lane says a word this often, so that `wait_timeout` ends only frozen ones. */
  readonly keepAliveMs: number;
  readonly session: SessionLimits;
}

/** See the port. */
export class MysqlCommitLane implements CommitLane {
  private readonly server: MysqlServerSettings;
  private readonly settings: LaneSettings;
  private readonly settledRows = new SettledRows();
  private readonly keepAlive: NodeJS.Timeout;
  private session: MysqlSession | null = null;
  private busy = false;
  private stopped = false;

  constructor(server: MysqlServerSettings, settings: LaneSettings) {
    this.server = server;
    this.settings = settings;
    this.keepAlive = setInterval(() => void this.sayAlive(), settings.keepAliveMs);
    this.keepAlive.unref();
  }

  async commit(batch: LaneBatch, gate: CommitGate): Promise<CommitOutcome> {
    // The gate may be refused or broken while nobody looks at it yet.
    const passes = gate.catch(() => false);
    this.busy = true;
    try {
      return await this.commitOnce(batch, passes);
    } catch (thrown) {
      // Whatever was thrown was thrown before COMMIT was sent: the transaction ends with its session.
      this.session?.destroy();
      return { kind: 'unavailable', cause: toMysqlError(thrown).message };
    } finally {
      this.busy = false;
    }
  }

  async settle(batch: LaneBatch): Promise<SettledCommit> {
    this.busy = true;
    try {
      // A session that answered nothing is never asked again.
      this.session?.destroy();
      const session = await this.openedSession();
      const ended = await readHowItEnded(session, this.settings.topic, batch);
      if (ended.kind === 'committed') this.settledRows.committed(batch.fences);
      return ended;
    } catch (thrown) {
      if (thrown instanceof InvariantError) {
        throw new Failure('corrupt', 'INTERNAL', thrown.message, { cause: thrown });
      }
      throw toFailure(thrown, 'settling a commit');
    } finally {
      this.busy = false;
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.keepAlive);
    await this.session?.end();
    this.session = null;
  }

  private async commitOnce(batch: LaneBatch, gate: Promise<boolean>): Promise<CommitOutcome> {
    let packet: CommitPacket;
    try {
      const clear = this.settledRows.toClear(batch.fences);
      packet = buildCommitPacket(this.settings.topic, batch, Date.now(), clear);
    } catch (thrown) {
      // A value that SQL cannot hold exactly: the data's fault, found before it was sent.
      return {
        kind: 'dataError',
        cause: thrown instanceof Error ? thrown.message : String(thrown),
      };
    }
    const sent = await this.sendPacket(packet);
    if ('outcome' in sent) return sent.outcome;
    const { session, answer } = sent;
    const refused = packetVerdict(batch, packet, answer);
    if (refused !== null) return rolledBack(session, refused);
    if (!(await withinGate(gate, this.settings.gateMs))) {
      return rolledBack(session, { kind: 'stopped' });
    }
    const outcome = await this.sendCommit(session);
    if (outcome.kind === 'committed') this.settledRows.committed(batch.fences);
    return outcome;
  }

  /**
   * Packet 1, sent once more on a new connection when the one at hand turns out to be dead: a
   * restarted server or a passed `wait_timeout` shows only at the next word. That is safe because
   * COMMIT was not sent, so the first try can never take effect.
   */
  private async sendPacket(
    packet: CommitPacket,
  ): Promise<
    | { readonly session: MysqlSession; readonly answer: PacketResult }
    | { readonly outcome: CommitOutcome }
  > {
    for (let attempt = 1; ; attempt += 1) {
      const isFresh = this.session === null || !this.session.alive;
      let session: MysqlSession;
      try {
        session = await this.openedSession();
      } catch (thrown) {
        const { message } = toMysqlError(thrown);
        return { outcome: { kind: 'unavailable', cause: `connecting: ${message}` } };
      }
      const answer = await session.packet(packet.sql, this.settings.packetMs);
      const mayRepeat = attempt === 1 && !isFresh && answer.results.length === 0;
      if (mayRepeat && isGone(answer.error)) {
        session.destroy();
        continue;
      }
      return { session, answer };
    }
  }

  /**
   * Before the packet goes out the session is known to live, so from here on no answer means
   * unknown. Scenario 2: the server commits and its answer is lost. Scenario 3: COMMIT itself is
   * lost and the server rolls back. Both look the same here. Tests: "that reached the server
   * is unknown …", "that never reached the server is unknown …".
   */
  private async sendCommit(session: MysqlSession): Promise<CommitOutcome> {
    if (!session.alive) {
      return { kind: 'unavailable', cause: 'the connection was lost before COMMIT was sent' };
    }
    const { error } = await session.packet('COMMIT', this.settings.commitMs);
    if (error === null) return { kind: 'committed' };
    const cause = `COMMIT: ${error.message}`;
    switch (error.sort) {
      // Answered by the server, and by these answers it says that it did not commit.
      case 'deadlock':
        return rolledBack(session, { kind: 'conflict', cause });
      case 'readOnly':
        return rolledBack(session, { kind: 'unavailable', cause });
      default:
        session.destroy();
        return unknownOutcome(cause);
    }
  }

  private async openedSession(): Promise<MysqlSession> {
    if (this.stopped) throw new Failure('retry', 'UNAVAILABLE', 'the lane is stopped');
    if (this.session?.alive === true) return this.session;
    this.session = await openLaneSession(this.server, this.settings, this.settings.session);
    return this.session;
  }

  /** Only while idle: in mid-transaction a word would keep a gate that never answers alive. */
  private async sayAlive(): Promise<void> {
    if (this.busy || this.session?.alive !== true) return;
    // A failure marks the session dead, which is all there is to do about it.
    await this.session.packet('DO 0', this.settings.session.queryMs);
  }
}

/**
 * Ends the transaction and hands `outcome` on. When ROLLBACK gets no answer the session is destroyed:
 * COMMIT was never sent on it, so the server can only roll back.
 */
async function rolledBack(session: MysqlSession, outcome: CommitOutcome): Promise<CommitOutcome> {
  const { error } = await session.packet('ROLLBACK');
  if (error !== null) session.destroy();
  return outcome;
}

function isGone(error: MysqlError | null): boolean {
  return error !== null && (error.sort === 'lost' || error.sort === 'killed');
}

async function withinGate(gate: Promise<boolean>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([gate, limit]);
  } finally {
    clearTimeout(timer);
  }
}
