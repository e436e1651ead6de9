/**
 * Worlds that are as bad as the contracts of the ports allow, all the time and for everybody. The
 * ordinary suites of features must pass in each: `npm run hostile`.
 */

/** One of them. Some are a matter of configuration, others of drivers (`hostile-drivers.ts`). */
export interface HostileMode {
  readonly name: string;
  readonly about: string;
  /** For every process. */
  readonly env: Readonly<Record<string, string>>;
  /** Suites about the very thing that is missing here. */
  readonly without?: readonly string[];
  /** Commands wait here for what is not theirs: tests of how soon something ends are left out. */
  readonly isSlow?: true;
}

/** In the order in which they are run. */
export const hostileModes: readonly HostileMode[] = [
  { name: 'delivered-twice', about: 'every batch of commands comes twice', env: {} },
  { name: 'commit-unanswered', about: 'no COMMIT is answered; each is read back', env: {} },
  {
    name: 'owner-changed',
    about: 'behind every five commands of a partition somebody else takes it over for a moment',
    env: { ROOMCELL_CELL_RETAKE_PAUSE: '100ms' },
    isSlow: true,
    // Reads are refused for that moment, and a new owner gives everybody who is silent a new window.
    without: ['two-apps', 'late-words'],
  },
  {
    name: 'late-replies',
    about: 'one reply in five comes when its caller has given up and asked again',
    env: {},
    isSlow: true,
    // Their callers ask once, or say something at a time of their own.
    without: ['bad-input', 'operators', 'rtc-removal', 'late-words'],
  },
  { name: 'events-twice', about: 'every event goes to its topic twice', env: {} },
  {
    name: 'one-at-a-time',
    about: 'one command in a transaction',
    env: { ROOMCELL_CELL_BATCH_COMMANDS_MAX: '1' },
  },
  {
    name: 'always-cold',
    about: 'one room in memory: each is dropped and rebuilt all the time',
    env: { ROOMCELL_CELL_RESIDENT_ROOMS_MAX: '1', ROOMCELL_SNAPSHOT_EVERY_N: '7' },
  },
  {
    name: 'snapshot-each-version',
    about: 'a snapshot with every version',
    env: { ROOMCELL_SNAPSHOT_EVERY_N: '1' },
  },
  {
    name: 'no-snapshots',
    about: 'never a snapshot, and one room in memory: each is rebuilt from its log alone',
    env: { ROOMCELL_SNAPSHOT_EVERY_N: '100000', ROOMCELL_CELL_RESIDENT_ROOMS_MAX: '1' },
  },
  {
    name: 'no-redis',
    about: 'nobody listens where Redis should be',
    env: { ROOMCELL_REDIS_URL: 'redis://127.0.0.1:1' },
    // It looks at the leases of two apps in Redis.
    without: ['two-apps'],
  },
  {
    name: 'one-partition',
    about: 'one partition, and as few connections for reads as may be',
    env: { ROOMCELL_KAFKA_COMMANDS_PARTITIONS: '1', ROOMCELL_MYSQL_POOL_SIZE: '2' },
  },
];

/** Suites of features: none of them plants a fault or says how many partitions there are. */
const features = [
  'bad-input',
  'gifts',
  'late-words',
  'operators',
  'rtc-callbacks',
  'rtc-removal',
  'two-apps',
];

/** The suites that a mode is tried with. */
export function featureSpecs({ without = [] }: HostileMode): readonly string[] {
  return features
    .filter((name) => !without.includes(name))
    .map((name) => `test/e2e/${name}.e2e.spec.ts`);
}

/** Names the mode for a run of tests. */
export const hostileVariable = 'ROOMCELL_TEST_HOSTILE_MODE';

/** The mode that the environment names; null: none. Throws an Error for a name that there is not. */
export function hostileModeOf(
  environment: Readonly<Record<string, string | undefined>>,
): HostileMode | null {
  const name = environment[hostileVariable] ?? '';
  if (name === '') return null;
  const mode = hostileModes.find((each) => each.name === name);
  if (mode === undefined) throw new Error(`no hostile mode ${name}`);
  return mode;
}
