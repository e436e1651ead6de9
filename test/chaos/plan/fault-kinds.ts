/** The faults of a run on real processes, and how often each is dealt. */

/**
 * What befalls a process: `kill` is SIGKILL, `freeze` SIGSTOP beyond every lease, `term` SIGTERM; `churn` is
 * one more cell that joins, owns and leaves.
 */
export const podFaultKinds = [
  ...(['killCell', 'freezeCell', 'termCell', 'churnCells'] as const),
  ...(['killGateway', 'termGateway', 'killRelay', 'killAdapter'] as const),
] as const;
/** What befalls a server that the run started itself. */
export const serverFaultKinds = [
  ...(['restartBroker', 'restartDatabase'] as const),
  ...(['restartRedis', 'freezeRedis', 'flushRedis'] as const),
] as const;
/** What befalls the way from one process to one server. */
export const linkFaultKinds = [
  ...(['cutLink', 'refuseLink', 'holdLink', 'delayLink', 'sliceLink'] as const),
] as const;

/** See above. */
export type PodFaultKind = (typeof podFaultKinds)[number];
/** See above. */
export type ServerFaultKind = (typeof serverFaultKinds)[number];
/** See above. */
export type LinkFaultKind = (typeof linkFaultKinds)[number];
/** Every kind of fault. */
export type FaultKind = PodFaultKind | ServerFaultKind | LinkFaultKind;

/** Cards of each kind in a deck: the weights of the design, with links apart by what happens to them. */
export const cardsOf: Readonly<Record<FaultKind, number>> = {
  killCell: 4,
  freezeCell: 3,
  termCell: 3,
  churnCells: 2,
  killGateway: 1,
  termGateway: 1,
  killRelay: 1,
  killAdapter: 1,
  restartBroker: 1,
  restartDatabase: 1,
  restartRedis: 1,
  freezeRedis: 1,
  flushRedis: 1,
  cutLink: 2,
  refuseLink: 1,
  holdLink: 2,
  delayLink: 1,
  sliceLink: 1,
};

/** What every deck begins with, so that a run of five cycles has met a fault of each family. */
export const opening: readonly FaultKind[] = [
  ...(['killCell', 'holdLink', 'restartDatabase', 'freezeCell', 'termCell'] as const),
];

/** Servers to which a process has a way of its own. */
export type Dependency = 'kafka' | 'mysql' | 'redis' | 'wallet';

/** Whether the fault befalls a link. */
export function isLinkFault(kind: FaultKind): kind is LinkFaultKind {
  return (linkFaultKinds as readonly string[]).includes(kind);
}

/** Whether the fault befalls a process. */
export function isPodFault(kind: FaultKind): kind is PodFaultKind {
  return (podFaultKinds as readonly string[]).includes(kind);
}
