/**
 * Memory twin of the commit lane: the same packet, gate and COMMIT as the real one, on a connection
 * of the memory server, and a queue of faults by which a test brings about what a real server does
 * on its bad days. Its limits are waited for on its own timers, those of the process it stands in:
 * a process that is frozen ends nothing.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type {
  CommitGate,
  CommitLane,
  CommitOutcome,
  LaneBatch,
  SettledCommit,
} from '../../ports/commit-lane.ts';
import { refusedBy, type LaneFault } from './lane-fault.ts';
import { runPacket } from './lane-packet.ts';
import { laneName, laneSettings, type MemoryLaneSettings } from './lane-settings.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { unavailable } from './memory-server.ts';
import type { MemorySession, MemoryTransaction } from './memory-session.ts';
import { readHowItEnded } from './lane-settle.ts';

export type { LaneFault } from './lane-fault.ts';
export type { MemoryLaneSettings } from './lane-settings.ts';

type PacketEnd =
  | { readonly session: MemorySession; readonly transaction: MemoryTransaction }
  | { readonly outcome: CommitOutcome };

/** See the file header. */
export class MemoryCommitLane implements CommitLane {
  /** Faults of the next transactions, first one first. */
  readonly faults: LaneFault[] = [];
  /** Answers whether the database refuses these data; a test refuses by it. */
  dataFault: (batch: LaneBatch) => boolean = () => false;
  /** Transactions tried so far. */
  tries = 0;
  private readonly database: MemoryDatabase;
  private readonly settings: Required<MemoryLaneSettings>;
  private session: MemorySession | null = null;
  private stopped = false;

  constructor(database: MemoryDatabase, settings: MemoryLaneSettings = {}) {
    this.database = database;
    this.settings = laneSettings(settings, database.server.timers);
  }

  async commit(batch: LaneBatch, gate: CommitGate): Promise<CommitOutcome> {
    this.tries += 1;
    // The gate may be refused or broken while nobody looks at it yet.
    const passes = gate.catch(() => false);
    const fault = this.faults.shift() ?? null;
    const refused = refusedBy(fault);
    if (refused !== null) return refused;
    const sent = await this.sendPacket(batch, fault);
    if ('outcome' in sent) return sent.outcome;
    const { session, transaction } = sent;
    session.fallsSilent(this.settings.silentMs);
    const isOpen = await this.passesInTime(passes);
    if (this.settings.beforeCommit !== null) await this.settings.beforeCommit();
    session.isHeard();
    if (!isOpen) {
      transaction.rollBack();
      return { kind: 'stopped' };
    }
    if (fault?.kind === 'lostAtGate') session.end();
    return this.sendCommit(session, transaction, fault);
  }

  async settle(batch: LaneBatch): Promise<SettledCommit> {
    const { server } = this.database;
    // A session that answered nothing is never asked again.
    this.leave(this.session);
    if (!(await server.within(server.reached(), this.settings.packetMs, this.settings.timers))) {
      throw unavailable('settling a commit', 'no answer');
    }
    const session = this.opened();
    return readHowItEnded(this.database, session, batch, this.settings.lockWaitMs);
  }

  stop(): Promise<void> {
    this.stopped = true;
    this.leave(this.session);
    return Promise.resolve();
  }

  private async sendPacket(batch: LaneBatch, fault: LaneFault | null): Promise<PacketEnd> {
    const { server } = this.database;
    if (fault?.kind === 'lostBeforePacket') this.session?.end();
    const waiting = { isOver: false };
    let end: PacketEnd | null = null;
    const ended = this.runAtServer(batch, fault, waiting).then((answer) => {
      end = answer;
    });
    const isAnswered = await server.within(ended, this.settings.packetMs, this.settings.timers);
    if (isAnswered && end !== null) return end;
    waiting.isOver = true;
    this.leave(this.session);
    const cause = `the first packet did not end within ${this.settings.packetMs} ms`;
    return { outcome: { kind: 'unavailable', cause } };
  }

  /** `waiting.isOver`: the lane has hung up, so that nothing may be left open for it. */
  private async runAtServer(
    batch: LaneBatch,
    fault: LaneFault | null,
    waiting: { readonly isOver: boolean },
  ): Promise<PacketEnd> {
    const { server } = this.database;
    await server.reached();
    if (waiting.isOver) return { outcome: { kind: 'unavailable', cause: 'hung up' } };
    let session: MemorySession;
    try {
      session = this.opened();
    } catch (thrown) {
      const cause = thrown instanceof Error ? thrown.message : String(thrown);
      return { outcome: { kind: 'unavailable', cause } };
    }
    if (server.mode === 'readOnly') return { outcome: { kind: 'unavailable', cause: 'readOnly' } };
    if (this.database.isFull) {
      return { outcome: { kind: 'unavailable', cause: 'the memory database is full' } };
    }
    const transaction = session.begin();
    if (fault?.kind === 'lostInPacket') session.end();
    const refused = await runPacket({
      database: this.database,
      transaction,
      batch,
      lockWaitMs: this.settings.lockWaitMs,
      dataFault: this.dataFault,
      logRowsLocked: fault?.kind === 'lockWait',
    });
    await server.reached();
    if (refused === null && fault?.kind !== 'conflict') {
      if (transaction.isOpen) return { session, transaction };
      return { outcome: { kind: 'unavailable', cause: 'the first packet: killed' } };
    }
    // 1213 has rolled everything back; after any other refusal the lane does.
    if (refused === null) transaction.chosenAsVictim();
    transaction.rollBack();
    return { outcome: refused ?? { kind: 'conflict', cause: '1213 by the test' } };
  }

  /** From here on no answer means unknown. */
  private async sendCommit(
    session: MemorySession,
    transaction: MemoryTransaction,
    fault: LaneFault | null,
  ): Promise<CommitOutcome> {
    if (!session.alive) {
      return { kind: 'unavailable', cause: 'the connection was lost before COMMIT was sent' };
    }
    const { server } = this.database;
    if (fault?.kind === 'lostBeforeCommit') {
      session.end();
      return unknownOutcome('COMMIT: cut by the test');
    }
    let isStored = false;
    // A server that is only slow does it all the same, after the lane has given up.
    const answered = server
      .reached()
      .then(() => {
        isStored = transaction.commit();
      })
      .then(() => server.reached());
    const { commitMs, timers } = this.settings;
    const isAnswered = await server.within(answered, commitMs, timers);
    if (isAnswered && isStored && fault?.kind !== 'lostAfterCommit') return { kind: 'committed' };
    this.leave(session);
    return unknownOutcome(isAnswered ? 'COMMIT: the answer is lost' : 'COMMIT: no answer');
  }

  private opened(): MemorySession {
    const { server } = this.database;
    if (this.stopped) throw unavailable('connecting', 'the lane is stopped');
    if (this.session?.alive === true) return this.session;
    const session = server.connect();
    const { incarnation, lane } = this.settings;
    // Its former connection, if the server still has one, is over before this one goes on.
    if (incarnation !== '') server.takeName(session, laneName(incarnation, lane));
    this.session = session;
    return session;
  }

  /** Hangs up. A frozen server notices when it is back, behind what it has been sent before. */
  private leave(session: MemorySession | null): void {
    if (session === null) return;
    this.session = null;
    void this.database.server.reached().then(() => session.end());
  }

  private async passesInTime(gate: Promise<boolean>): Promise<boolean> {
    let isOpen = false;
    const asked = gate.then((answer) => {
      isOpen = answer;
    });
    const { gateMs, timers } = this.settings;
    await this.database.server.within(asked, gateMs, timers);
    return isOpen;
  }
}
