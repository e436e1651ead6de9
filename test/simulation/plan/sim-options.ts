/**
 * The shape of a run, drawn from its seed (swarm: small worlds, and never all faults at once). Plain
 * data, so that a stored case keeps it whatever the generator does later.
 */
import { tracePoints, type TracePoint } from '../../../src/ports/trace.ts';
import { SimRandom } from '../kernel/sim-random.ts';
import { aimedKinds, aimedReadKinds, type AimedKind } from './aimed-kinds.ts';
import {
  faultKinds,
  luckyFaultKinds,
  readFaultKinds,
  rtcFaultKinds,
  type FaultKind,
} from './fault-kinds.ts';
import { robotsOf, type PlannedRobots } from './plan-robots.ts';

/** See the file header. Times in virtual ms. */
export interface SimOptions {
  readonly seed: number;
  readonly partitions: number;
  readonly cells: number;
  readonly relays: number;
  readonly gateways: number;
  /** Of each kind. */
  readonly adapters: number;
  readonly apps: number;
  readonly rooms: number;
  readonly users: number;
  readonly batchCommandsMax: number;
  readonly snapshotEveryN: number;
  readonly residentRoomsMax: number;
  readonly leaseTtlMs: number;
  readonly micPublishTimeoutMs: number;
  readonly sessionTimeoutMs: number;
  readonly fetchWaitMs: number;
  readonly runSize: number;
  readonly maxRetryCount: number;
  readonly stormMs: number;
  readonly tenfold: number;
  readonly thousandfold: number;
  /** Offsets and rates of the machines' clocks go up to these. */
  readonly clockOffsetMs: number;
  readonly clockDrift: number;
  /** Kinds that this run knows, each with its faults per virtual second. */
  readonly faultRates: Readonly<Partial<Record<FaultKind, number>>>;
  /** Points at which this run may kill or freeze, and how often in all. */
  readonly points: readonly TracePoint[];
  readonly pointFiringsMax: number;
  /** Kinds of aimed faults that this run knows. */
  readonly aimed: readonly AimedKind[];
  readonly pressure: Pressure;
  /** Not in cases of old: the product's own defaults. */
  readonly rules?: Rules;
  /** Not in cases of old: nobody asks an owner. */
  readonly reads?: ReadPressure;
  /** Watchers of rooms. Not in cases of old: none. */
  readonly watchers?: number;
  /** Whether the room list is copied. Not in cases of old: no. */
  readonly listCopy?: boolean;
  /** Whether boards over rooms are kept. Not in cases of old: no. */
  readonly boards?: boolean;
  /** Robots that cells play. Not in cases of old: none. */
  readonly robots?: PlannedRobots;
  /** What goes by the display lane. Not in cases of old: nothing but displays. */
  readonly lanes?: Lanes;
  /** Destinations whose failed rows hold later ones back. Not in cases of old: none. */
  readonly blocking?: readonly BlockingDestination[];
  /** How long rows are kept; they leave behind the storm. Not in cases of old: for ever. */
  readonly retentionKeepMs?: number;
  /** Absent: the deployment is at this release's level from the start. */
  readonly upgrade?: Upgrade;
}

/** A destination that a run may have told to block. */
export type BlockingDestination = 'im' | 'activity';

/** How the deployment shows what it shows. */
export interface Lanes {
  readonly byDisplayLane: readonly string[];
  readonly largeRoomUsers: number;
}

/** A deployment that comes from a former release. */
export interface Upgrade {
  /** Schema level at the start. */
  readonly from: number;
  /** When an operator raises it to this release's, in virtual ms. */
  readonly raisedAtMs: number;
}

/** How much is asked of the rooms' owners. */
export interface ReadPressure {
  /** Share of the commands behind which their client asks the owner at once. */
  readonly behind: number;
  /** Questions of one reader per app, spread over the run. */
  readonly spread: number;
}

/** Durations of the room's own rules, short enough to fall due within a run. */
export interface Rules {
  readonly presenceStaleAfterMs: number;
  readonly micHeartbeatStaleAfterMs: number;
  readonly micRequestTimeoutMs: number;
  readonly closeGraceMs: number;
  readonly passwordAttempts: number;
  readonly passwordAttemptWindowMs: number;
  /** Not in cases of old: off. */
  readonly autoConfirmOnHeartbeat?: boolean;
}

/** What the workload is like where it is not even. All are shares, from 0 to 1. */
export interface Pressure {
  /** Calls that go to one and the same room, so that its commands meet each other. */
  readonly hotRoom: number;
  /** Commands behind which their client looks at the room at once. */
  readonly looks: number;
  /** Calls that nobody asks for again, so that no retry makes good what was lost. */
  readonly forgotten: number;
  /** Calls that their clients give much time. */
  readonly patient: number;
}

/** The storm begins after so long, in virtual ms. */
export const warmUpMs = 2_000;

type Rates = Partial<Record<FaultKind, number>>;

const calmShare = 0.1;
const upgradeShare = 0.1;
const listCopyShare = 0.4;
const boardsShare = 0.4;
const retentionShare = 0.15;
const lanesShare = 0.4;
const blockingShare = 0.25;
/** Faults per second of a destination that blocks: some row must come to its end there. */
const blockingFaultsPerSecond = 0.6;
/** Of those that an operator may give to the display lane, which many commands make. */
const givenAway = [
  'RoomUserJoined',
  'RoomUserLeft',
  'RoomUserUpdated',
  'RoomMicUp',
  'RoomMicDown',
  'RoomProfileUpdated',
] as const;
/** Longer than any client asks with one id: a repeat behind it is a new command, by promise. */
const retentionKeepMs = 120_000;
const raisedWithinMs = 12_000;
const kindShare = 0.4;
const pointShare = 0.25;
const pointFiringsMax = 3;
const meetingPressure = { hotRoom: 0.8, looks: 0.6 };

/** The options of a seed. */
export function optionsOf(seed: number): SimOptions {
  const random = new SimRandom(seed, 'options');
  const isCalm = random.chance(calmShare);
  const size = {
    partitions: random.between(1, 4),
    cells: random.between(1, 4),
    relays: random.between(1, 2),
    gateways: random.between(1, 2),
    adapters: random.between(1, 2),
    apps: random.between(1, 2),
    rooms: random.between(1, 4),
    users: random.between(2, 12),
  };
  const leaseTtlMs = random.between(1, 10) * 1_000;
  const aims = aimsOf(seed, isCalm);
  const blocking = blockingOf(seed, isCalm);
  return undisturbed({
    seed,
    ...size,
    batchCommandsMax: random.pick([1, 2, 5, 20, 100]),
    snapshotEveryN: random.between(1, 20),
    residentRoomsMax: random.pick([1, 2, 1_000, 1_000]),
    leaseTtlMs,
    micPublishTimeoutMs: random.pick([1_000, 5_000, 15_000]),
    sessionTimeoutMs: random.pick([3_000, 4_000, 6_000]),
    ...deliveryOf(random),
    maxRetryCount: random.pick([2, 4, 10]),
    stormMs: random.between(20, 40) * 1_000,
    tenfold: isCalm ? 0.01 : 0.03,
    thousandfold: isCalm ? 0 : random.pick([0, 0, 0.0005, 0.002]),
    clockOffsetMs: isCalm ? 0 : random.pick([0, 200, 700]),
    clockDrift: isCalm ? 0 : random.pick([0, 0.0005]),
    faultRates: isCalm
      ? {}
      : { ...ratesOf(random, faultKinds), ...ratesApart(seed), ...ratesWhere(blocking) },
    points: isCalm ? [] : tracePoints.filter(() => random.chance(pointShare)),
    pointFiringsMax: isCalm ? 0 : pointFiringsMax,
    ...aims,
    rules: rulesOf(seed),
    reads: readsOf(seed),
    watchers: watchersOf(seed),
    listCopy: hasListCopy(seed, aims.aimed),
    boards: new SimRandom(seed, 'boards').chance(boardsShare),
    ...robotsOf(seed),
    ...retentionOf(seed),
    ...lanesOf(seed),
    ...(blocking.length > 0 ? { blocking } : {}),
    ...upgradeOf(seed),
  });
}

/** Drawn apart, as the aims are. Most calls wait for the raise: it comes early. Rooms close with a grace. */
function upgradeOf(seed: number): Pick<SimOptions, 'upgrade' | 'rules'> {
  const random = new SimRandom(seed, 'upgrade');
  if (!random.chance(upgradeShare)) return {};
  const raisedAtMs = warmUpMs + random.below(raisedWithinMs);
  const rules = { ...rulesOf(seed), closeGraceMs: 1_500 };
  return { rules, upgrade: { from: random.pick([1, 2]), raisedAtMs } };
}

/** Drawn apart, as the aims are. */
function readsOf(seed: number): ReadPressure {
  const random = new SimRandom(seed, 'reads');
  return { behind: random.pick([0, 0.05, 0.2]), spread: random.between(5, 20) };
}

/** Drawn apart, as the aims are. */
function retentionOf(seed: number): Pick<SimOptions, 'retentionKeepMs'> {
  const isDrawn = new SimRandom(seed, 'retention').chance(retentionShare);
  return isDrawn ? { retentionKeepMs } : {};
}

/** Drawn apart, as the aims are. Where nothing fails nothing blocks. */
function blockingOf(seed: number, isCalm: boolean): readonly BlockingDestination[] {
  const random = new SimRandom(seed, 'blocking');
  if (isCalm || !random.chance(blockingShare)) return [];
  return random.pick([['im'], ['activity'], ['im', 'activity']] as const);
}

function ratesWhere(blocking: readonly BlockingDestination[]): Rates {
  return Object.fromEntries(blocking.map((name) => [name, blockingFaultsPerSecond]));
}

/** Drawn apart, as the aims are. Rooms of a run are small: two users are many. */
function lanesOf(seed: number): Pick<SimOptions, 'lanes'> {
  const random = new SimRandom(seed, 'lanes');
  if (!random.chance(lanesShare)) return {};
  const byDisplayLane = givenAway.filter(() => random.chance(0.5));
  return { lanes: { byDisplayLane, largeRoomUsers: random.pick([1, 2, 4, 1_000]) } };
}

/** Drawn apart, as the aims are. An aim at the copies needs some. */
function hasListCopy(seed: number, aimed: readonly AimedKind[]): boolean {
  const isDrawn = new SimRandom(seed, 'list copy').chance(listCopyShare);
  return isDrawn || aimed.includes('copiesLateAtCommit');
}

/** Drawn apart, as the aims are. */
function watchersOf(seed: number): number {
  return new SimRandom(seed, 'watchers').pick([0, 1, 2, 3]);
}

/** Drawn apart, as the aims are. */
function rulesOf(seed: number): Rules {
  const random = new SimRandom(seed, 'rules');
  return {
    presenceStaleAfterMs: random.pick([8_000, 20_000, 120_000, 120_000]),
    micHeartbeatStaleAfterMs: random.pick([4_000, 20_000, 60_000]),
    micRequestTimeoutMs: random.pick([1_000, 5_000, 20_000]),
    closeGraceMs: random.pick([0, 0, 1_500]),
    passwordAttempts: random.pick([1, 2, 5]),
    passwordAttemptWindowMs: random.pick([3_000, 30_000]),
    autoConfirmOnHeartbeat: random.pick([false, false, true]),
  };
}

/**
 * A moment of many steps does not come when every other fault may step in between, or when the two
 * users who wait for it in silence are taken out for that.
 */
function undisturbed(options: SimOptions): SimOptions {
  if (!options.aimed.includes('staleReader')) return options;
  const { rules: _, upgrade: __, robots: ___, ...others } = options;
  return {
    ...others,
    watchers: 0,
    listCopy: false,
    boards: false,
    faultRates: {},
    points: [],
    pointFiringsMax: 0,
  };
}

/** Drawn apart from the rest, which keeps its meaning when a kind is added here. */
function aimsOf(seed: number, isCalm: boolean): Pick<SimOptions, 'aimed' | 'pressure'> {
  const random = new SimRandom(seed, 'aims');
  const aimed = aimsAmong(aimedKinds, random);
  const ofReads = aimsAmong(aimedReadKinds, new SimRandom(seed, 'aims of reads'));
  const pressure = {
    hotRoom: random.pick([0, 0, 0.5, 0.8]),
    looks: random.pick([0, 0, 0.3, 0.6]),
    forgotten: random.pick([0, 0, 0.2, 0.6]),
    patient: random.pick([0, 0.2]),
  };
  const known = isCalm ? [] : [...aimed, ...ofReads];
  return { aimed: known, pressure: { ...pressure, ...pressureFor(known) } };
}

/** What a moment needs of the workload, since it lies between calls of one and the same room. */
function pressureFor(aimed: readonly AimedKind[]): Partial<Pressure> {
  const { hotRoom, looks } = meetingPressure;
  if (aimed.includes('readsLateAtCommit')) return { hotRoom, looks };
  return aimed.includes('heldInSplit') ? { hotRoom } : {};
}

function aimsAmong(
  kinds: Readonly<Partial<Record<AimedKind, number>>>,
  random: SimRandom,
): readonly AimedKind[] {
  return (Object.entries(kinds) as [AimedKind, number][])
    .filter(([, share]) => random.chance(share))
    .map(([kind]) => kind);
}

/**
 * A partition that was paused for its run is fetched again when the fetch under way ends, so a lone
 * stream delivers one run per wait: short runs must not wait long, or no backlog ends in time.
 */
function deliveryOf(random: SimRandom): Pick<SimOptions, 'fetchWaitMs' | 'runSize'> {
  const drawnMs = random.pick([500, 1_000, 1_500]);
  const runSize = random.between(1, 5);
  return { runSize, fetchWaitMs: runSize < 3 ? 500 : drawnMs };
}

/** Drawn apart, as the aims are. */
function ratesApart(seed: number): Rates {
  return {
    ...ratesOf(new SimRandom(seed, 'rates of reads'), readFaultKinds),
    ...ratesOf(new SimRandom(seed, 'rates of rtc'), rtcFaultKinds),
    ...ratesOf(new SimRandom(seed, 'rates of lucky gifts'), luckyFaultKinds),
  };
}

function ratesOf(random: SimRandom, kinds: Readonly<Rates>): Rates {
  const rates: Rates = {};
  for (const [kind, usualPerSecond] of Object.entries(kinds)) {
    const isOn = random.chance(kindShare);
    const scale = random.pick([0.3, 1, 2]);
    if (isOn) rates[kind as FaultKind] = usualPerSecond * scale;
  }
  return rates;
}
