/**
 * Everything that a run can be made to suffer, with how often per virtual second a run that knows the
 * kind suffers it. Only what the design promises to bear: a database that forgets commits (lazy
 * flush) is not among them, and a checker must cry at that one.
 */

import type { TracePoint } from '../../../src/ports/trace.ts';
import type { AimedKind } from './aimed-kinds.ts';

/** See the file header. */
export const faultKinds = {
  // Processes.
  killCell: 0.06,
  killGateway: 0.03,
  killRelay: 0.03,
  killAdapter: 0.03,
  freezeCell: 0.05,
  freezeGateway: 0.02,
  freezeRelay: 0.02,
  freezeAdapter: 0.02,
  drainCell: 0.04,
  drainGateway: 0.02,
  drainRelay: 0.02,
  drainAdapter: 0.02,
  // The log.
  ackLost: 0.15,
  notStored: 0.15,
  storedTwice: 0.15,
  replyNotStored: 0.1,
  replyAckWithoutStore: 0.1,
  redelivery: 0.1,
  lateBatch: 0.05,
  staleCommit: 0.05,
  nothingAssigned: 0.03,
  junkRecord: 0.05,
  groupRebalance: 0.04,
  brokerSilent: 0.02,
  brokerRefused: 0.02,
  clientCut: 0.04,
  // The database.
  commitLostAfter: 0.15,
  commitLostBefore: 0.15,
  laneConflict: 0.1,
  laneLockWait: 0.1,
  fenceBusy: 0.05,
  laneSessionLost: 0.1,
  laneUnavailable: 0.08,
  dataRefused: 0.06,
  portRefused: 0.2,
  portAnswerLost: 0.2,
  databaseFrozen: 0.03,
  databaseCrash: 0.02,
  databaseReadOnly: 0.02,
  databaseFull: 0.02,
  killForbidden: 0.02,
  readsLate: 0.04,
  // Leases and hints.
  leasesEmptied: 0.05,
  leasesFrozen: 0.03,
  leasesGone: 0.03,
  leasesForeign: 0.05,
  leasesTwice: 0.05,
  leasesClockJump: 0.03,
  hintsLost: 0.03,
  // What lies outside.
  wallet: 0.25,
  walletDown: 0.03,
  im: 0.15,
  imDown: 0.02,
  activity: 0.15,
  activityDown: 0.02,
  // Clocks.
  clockJump: 0.05,
  deliveryClockJump: 0.04,
  // What lies in the log.
  killerRecord: 0.02,
} as const;

/** The same of the ways between gateways and cells, drawn apart. */
export const readFaultKinds = {
  readsRefused: 0.05,
  readsSilent: 0.05,
  readsLed: 0.05,
} as const;

/** The same of the RTC service that users are put out of, drawn apart. */
export const rtcFaultKinds = {
  rtc: 0.2,
  rtcDown: 0.03,
} as const;

/** The same of lucky gifts, drawn apart. */
export const luckyFaultKinds = {
  lucky: 0.1,
  luckyDown: 0.02,
  luckyLocksGone: 0.03,
  prizes: 0.3,
} as const;

/** Kinds that happen whatever the processes are at. */
export type OrdinaryKind =
  | keyof typeof faultKinds
  | keyof typeof readFaultKinds
  | keyof typeof rtcFaultKinds
  | keyof typeof luckyFaultKinds;

/** Name of a kind. */
export type FaultKind = OrdinaryKind | AimedKind;

/** One planned fault; an aimed one is ready from its time on. Times in virtual ms from the run's start. */
export interface PlannedFault {
  readonly atMs: number;
  readonly kind: FaultKind;
  /** Which of those that it may hit: reduced to their number when it happens. */
  readonly target: number;
  /** How long it lasts, for those that last. */
  readonly lengthMs: number;
  /** A further choice of the kind, such as which of the wallet's faults. */
  readonly choice: number;
}

/** What happens to the process that passes a point for the `nth` time since the storm began. */
export interface PlannedFiring {
  readonly point: TracePoint;
  readonly nth: number;
  /** `vanish`: as `kill`, but its connections stay open until somebody notices. */
  readonly what: 'kill' | 'vanish' | 'freeze';
  readonly lengthMs: number;
}
