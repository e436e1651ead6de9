/** The deployment of the bench: three cells, of which one at a time has something befall it, and a gateway. */
import type { Timers } from '../../src/ports/timers.ts';
import { Fleet, type FleetClient } from '../../test/e2e/support/fleet.ts';
import { allOwn, owners, roomWhere } from '../../test/e2e/support/ownership.ts';
import type { RoleProcess } from '../../test/e2e/support/role-process.ts';
import { SteadyCaller } from './steady-caller.ts';

/** Partitions of the commands topic in the development configuration. */
export const partitionCount = 16;
/** Rooms of an owner that are watched in one round. */
const roomsPerRound = 3;

const names = ['cell-a', 'cell-b', 'cell-c'] as const;
/** Where a frozen owner stops: its rows are written and locked, its COMMIT is not sent. */
const worstMoment = 'cell.packet_answered_before_commit';

/** See the file header. */
export class ThreeCells {
  readonly fleet: Fleet;
  readonly client: FleetClient;
  private readonly timers: Timers;
  private readonly cells = new Map<string, RoleProcess>();
  private rounds = 0;
  private freezes = 0;

  private constructor(fleet: Fleet, client: FleetClient, timers: Timers) {
    this.fleet = fleet;
    this.client = client;
    this.timers = timers;
  }

  /** Starts all of it on the servers that `stackEnv` names. */
  static async open(
    stackEnv: Readonly<Record<string, string | undefined>>,
    sessionTimeoutMs: number,
    timers: Timers,
  ): Promise<ThreeCells> {
    const env = { ROOMCELL_KAFKA_SESSION_TIMEOUT: `${sessionTimeoutMs}ms` };
    const fleet = await Fleet.open('failover', env, stackEnv);
    try {
      const gateway = await fleet.start('gateway-1', ['gateway']);
      await gateway.ready();
      const all = new ThreeCells(fleet, fleet.connect(gateway), timers);
      await Promise.all(names.map((name) => all.startCell(name)));
      await all.settled();
      return all;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.fleet.close();
  }

  /** The cell whose turn it is, so that every one is a victim as often as the others. */
  nextVictim(): string {
    this.rounds += 1;
    return names[this.rounds % names.length] as string;
  }

  cell(name: string): RoleProcess {
    const found = this.cells.get(name);
    if (found === undefined) throw new Error(`${name} was never started`);
    return found;
  }

  /** Starts a cell and waits until it is ready. */
  async startCell(name: string): Promise<void> {
    const started = await this.fleet.start(name, ['cell']);
    this.cells.set(name, started);
    await started.ready();
  }

  /**
   * Puts a process in the place of the cell that stops itself in the midst of the first transaction behind
   * `arm`; answers that word.
   */
  async replaceByFreezing(name: string): Promise<() => void> {
    await this.cell(name).terminate();
    this.freezes += 1;
    const armedBy = `freeze-${this.freezes}`;
    const faultAt = { point: worstMoment, pass: 1, action: 'stop', armedBy } as const;
    const started = await this.fleet.start(name, ['cell'], { faultAt });
    this.cells.set(name, started);
    await started.ready();
    await this.settled();
    return () => this.fleet.arm(armedBy);
  }

  /** All three own; node by partition. */
  settled(): Promise<ReadonlyMap<number, string>> {
    return allOwn(this.fleet, names);
  }

  /** The two others own; node by partition. */
  without(name: string): Promise<ReadonlyMap<number, string>> {
    return allOwn(
      this.fleet,
      names.filter((each) => each !== name),
    );
  }

  /** Callers of a few rooms that the cell owns, each on a partition of its own, with their rooms made. */
  async callersOf(name: string): Promise<readonly SteadyCaller[]> {
    const held = [...(await owners(this.fleet))].filter(([, node]) => node === name);
    const callers = held.slice(0, roomsPerRound).map(([partition]) => {
      const room = roomWhere(`r${this.rounds}-${name}`, (at) => at === partition);
      return new SteadyCaller(this.fleet, this.client, this.timers, room);
    });
    await Promise.all(callers.map((caller) => caller.open()));
    return callers;
  }
}
