/** Faults of the way from one process to one server. */
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import type { Pod } from '../deployment/pod.ts';
import type { Dependency, LinkFaultKind } from '../plan/fault-kinds.ts';
import type { PlannedFault } from '../plan/schedule.ts';
import { lasting } from '../../support/wait-until.ts';
import { chosen, effect, type FaultGround } from './fault-ground.ts';

const delayMs = 200;
/** Cuts every packet of MySQL, Redis and Kafka in the midst of its head. */
const pieceBytesMax = 7;

/** Who speaks to which server, with work to lose. */
const speakers: Readonly<Record<Dependency, readonly Pod['roles'][number][]>> = {
  kafka: ['cell', 'gateway', 'relay', 'adapter-im'],
  mysql: ['cell', 'relay', 'adapter-im'],
  redis: ['cell'],
  wallet: ['cell'],
};

/** Strikes, waits until bytes or connections have met the fault, and heals; answers whom it befell. */
export async function strikeLink(
  { deployment, history }: FaultGround,
  kind: LinkFaultKind,
  { target, dependency, lastsMs }: PlannedFault,
): Promise<string> {
  const server = dependency ?? 'mysql';
  const pod = chosen(
    deployment.pods.filter(({ roles }) => roles.some((role) => speakers[server].includes(role))),
    target,
  );
  const link = pod.links[server];
  const before = link.metCount;
  const where = `${server} of ${pod.name}`;
  // What a cell says behind its commit goes to the broker: then it may tell nobody (INV-11).
  const word = server === 'kafka' ? 'clientCut' : 'link';
  history.fault(`${word} ${where}: ${kind}`);
  try {
    await strike(link, kind);
    await Promise.all([
      kind === 'cutLink' ? Promise.resolve() : lasting(lastsMs),
      effect(`something meets the fault of ${where}`, () => link.metCount > before),
    ]);
  } finally {
    link.setMode({ kind: 'pass' });
    await link.accept();
    history.fault(`${word} ${where}: over`);
  }
  return where;
}

async function strike(link: TcpProxy, kind: LinkFaultKind): Promise<void> {
  switch (kind) {
    case 'cutLink':
      return link.cut();
    case 'refuseLink':
      return link.refuse();
    case 'holdLink':
      return link.setMode({ kind: 'hold', direction: 'both' });
    case 'delayLink':
      return link.setMode({ kind: 'delay', delayMs });
    case 'sliceLink':
      return link.setMode({ kind: 'slice', bytesMax: pieceBytesMax });
  }
}
