/**
 * Which stacks to try for a run, in which order: given by configuration, Docker Compose when an
 * engine answers, native, embedded. A pure function of the environment and of what probes found.
 */

/** Every kind of stack. */
export const stackKinds = ['given', 'compose', 'native', 'embedded'] as const;

/** Name of a kind, as ROOMCELL_STACK and the line about the stack have it. */
export type StackKind = (typeof stackKinds)[number];

/** What a Docker engine can do for us here. */
export type EngineProbe = 'answers' | 'no engine' | 'no compose';

/** What was found on this machine and in this checkout. */
export interface StackProbes {
  readonly engine: EngineProbe;
  /** Whether the in-memory twins of the three servers are wired for a whole run. */
  readonly isEmbeddedBuilt: boolean;
}

/** The kinds to try in turn, or why there is none. */
export type StackChoice = { readonly kinds: readonly StackKind[] } | { readonly refusal: string };

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
  const asked = environment['ROOMCELL_STACK'] ?? '';
  return asked === 'compose' || (asked === '' && !namesServers(environment));
}

/** See the file header. A kind that is asked for stands alone: nothing else is tried for it. */
export function chooseStack(environment: Environment, probes: StackProbes): StackChoice {
  const asked = environment['ROOMCELL_STACK'] ?? '';
  if (asked !== '') return askedFor(asked, probes);
  const isGiven = serverVariables.every((name) => (environment[name] ?? '') !== '');
  if (isGiven) return { kinds: ['given'] };
  // A server that configuration names is used, never replaced by a container's.
  const mayCompose = probes.engine === 'answers' && !namesServers(environment);
  // In CI a green run must have met real servers.
  const mayEmbed = probes.isEmbeddedBuilt && (environment['CI'] ?? '') === '';
  return {
    kinds: [
      ...(mayCompose ? (['compose'] as const) : []),
      'native',
      ...(mayEmbed ? (['embedded'] as const) : []),
    ],
  };
}

function askedFor(asked: string, probes: StackProbes): StackChoice {
  const kind = stackKinds.find((name) => name === asked);
  if (kind === undefined) {
    return { refusal: `ROOMCELL_STACK is '${asked}'; it may be ${stackKinds.join(', ')}.` };
  }
  if (kind === 'compose' && probes.engine !== 'answers') {
    return { refusal: `ROOMCELL_STACK is compose, but ${engineFault[probes.engine]}.` };
  }
  if (kind === 'embedded' && !probes.isEmbeddedBuilt) {
    return {
      refusal:
        'ROOMCELL_STACK is embedded, which is missing here: no composition runs every role on the ' +
        'in-memory drivers yet. Use given, compose or native.',
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
