/**
 * Which stacks to try for a run, in which order: given by configuration, Docker Compose when an
 * engine answers, native, embedded. A pure function of the environment and of what probes found.
 */

/** Every kind of stack. */
export const stackKinds = ['given', 'compose', 'native', 'embedded'] as const;

/** Name of a kind, as ROOMCELL_STACK and the line about the stack have it. */
export type StackKind = (typeof stackKinds)[number];

/** Kinds with a Kafka, a MySQL and a Redis. */
export type ServerStackKind = Exclude<StackKind, 'embedded'>;

/** What a Docker engine can do for us here. */
export type EngineProbe = 'answers' | 'no engine' | 'no compose';

/** What was found on this machine, and what the caller can do with. */
export interface StackProbes {
  readonly engine: EngineProbe;
  /** Whether a stack without servers is of use to the caller. */
  readonly takesEmbedded: boolean;
}

/** The kinds to try in turn, or why there is none. */
export type StackChoice =
  | {
      readonly kinds: readonly StackKind[];
      /** Why embedded is not among them, where it would have been; told when all others failed. */
      readonly notEmbedded?: string;
    }
  | { readonly refusal: string };

const notEmbeddedInCi =
  'CI is set, so the embedded stack is not taken in their place: a green run there must have met ' +
  'real servers. ROOMCELL_STACK=embedded asks for it by name.';

/** Variables that name a server; all three together are a given stack. */
export const serverVariables = [
  'ROOMCELL_KAFKA_BROKERS',
  'ROOMCELL_MYSQL_HOST',
  'ROOMCELL_REDIS_URL',
] as const;

/** Variables that name a MySQL server and an account on it. */
export const mysqlAccountVariables = [
  'ROOMCELL_MYSQL_HOST',
  'ROOMCELL_MYSQL_PORT',
  'ROOMCELL_MYSQL_USER',
  'ROOMCELL_MYSQL_PASSWORD',
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the engine's answer can matter: asking one that hangs costs seconds. */
export function needsEngineProbe(environment: Environment): boolean {
  const asked = askedKind(environment);
  return asked === 'compose' || (asked === '' && !namesServers(environment));
}

/** See the file header. A kind that is asked for stands alone: nothing else is tried for it. */
export function chooseStack(environment: Environment, probes: StackProbes): StackChoice {
  const asked = askedKind(environment);
  if (asked !== '') return askedFor(asked, probes);
  const isGiven = serverVariables.every((name) => (environment[name] ?? '') !== '');
  if (isGiven) return { kinds: ['given'] };
  // A server that configuration names is used, never replaced by a container's.
  const mayCompose = probes.engine === 'answers' && !namesServers(environment);
  const servers = mayCompose ? (['compose', 'native'] as const) : (['native'] as const);
  if (!probes.takesEmbedded || namesServers(environment)) return { kinds: servers };
  const isCi = (environment['CI'] ?? '') !== '';
  return isCi
    ? { kinds: servers, notEmbedded: notEmbeddedInCi }
    : { kinds: [...servers, 'embedded'] };
}

/** Whoever asks for embedded drivers has no use for servers. */
function askedKind(environment: Environment): string {
  const asked = environment['ROOMCELL_STACK'] ?? '';
  return asked === '' && environment['ROOMCELL_DRIVERS'] === 'embedded' ? 'embedded' : asked;
}

function askedFor(asked: string, probes: StackProbes): StackChoice {
  const kind = stackKinds.find((name) => name === asked);
  if (kind === undefined) {
    return { refusal: `ROOMCELL_STACK is '${asked}'; it may be ${stackKinds.join(', ')}.` };
  }
  if (kind === 'compose' && probes.engine !== 'answers') {
    return { refusal: `ROOMCELL_STACK is compose, but ${engineFault[probes.engine]}.` };
  }
  if (kind === 'embedded' && !probes.takesEmbedded) {
    return {
      refusal: 'The stack is to be embedded, but this needs servers. Use given, compose or native.',
    };
  }
  return { kinds: [kind] };
}

const engineFault: Readonly<Record<Exclude<EngineProbe, 'answers'>, string>> = {
  'no engine': 'no Docker engine answers (`docker version`)',
  'no compose': 'docker has no Compose plugin (`docker compose version`)',
};

function namesServers(environment: Environment): boolean {
  return [...serverVariables, ...mysqlAccountVariables].some(
    (name) => environment[name] !== undefined,
  );
}
