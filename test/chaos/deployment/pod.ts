/** One place of the deployment: a process that is killed and started again, with links of its own. */
import type { RoleName } from '../../../src/main/role.ts';
import type { FleetClient } from '../../e2e/support/fleet.ts';
import type { RoleProcess } from '../../e2e/support/role-process.ts';
import type { Links } from './links.ts';

/** What a pod is, whatever process is in it. */
export interface PodPlan {
  readonly name: string;
  readonly roles: readonly RoleName[];
}

/** The deployment: as many of each as the design of the runner says. */
export const podPlans: readonly PodPlan[] = [
  { name: 'cell-1', roles: ['cell'] },
  { name: 'cell-2', roles: ['cell'] },
  { name: 'cell-3', roles: ['cell'] },
  { name: 'gateway-1', roles: ['gateway'] },
  { name: 'gateway-2', roles: ['gateway'] },
  { name: 'relay-1', roles: ['relay'] },
  { name: 'relay-2', roles: ['relay'] },
  { name: 'adapter-1', roles: ['adapter-im', 'adapter-activity'] },
];

/** Not among them: a cell that joins for a while and leaves again. */
export const sparePlan: PodPlan = { name: 'cell-4', roles: ['cell'] };

/** Starts the process of a pod. */
export type StartPod = (pod: Pod) => Promise<RoleProcess>;

/** See the file header. */
export class Pod {
  readonly name: string;
  readonly roles: readonly RoleName[];
  readonly links: Links;
  /** Clients of the present process; gateways only. */
  client: FleetClient | null = null;
  private present: RoleProcess | null = null;
  private readonly startPod: StartPod;

  constructor(plan: PodPlan, links: Links, startPod: StartPod) {
    this.name = plan.name;
    this.roles = plan.roles;
    this.links = links;
    this.startPod = startPod;
  }

  /** The present process. Throws while there has never been one. */
  get process(): RoleProcess {
    if (this.present === null) throw new Error(`${this.name} was never started`);
    return this.present;
  }

  /** Starts a process and waits until it says that it is ready. */
  async start(): Promise<void> {
    this.present = await this.startPod(this);
    await this.present.ready();
  }

  /** Ends the process at once, a frozen one too, if there is one. */
  async end(): Promise<void> {
    await this.present?.kill();
  }

  /** A process that came to its end by itself is started again, as a cluster does it. */
  async ensureRunning(): Promise<boolean> {
    if (this.process.running) return false;
    await this.start();
    return true;
  }
}
