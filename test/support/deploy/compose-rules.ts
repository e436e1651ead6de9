/**
 * What docker-compose.yml must keep to, beside the Compose Specification's schema. Each rule answers
 * one sentence per breach.
 */
import { readFileSync } from 'node:fs';
import { brokerProperties } from '../../../scripts/stack/kafka-config.ts';
import { KAFKA_VERSION } from '../../../scripts/stack/kafka-jars.ts';
import { parseDuration } from '../../../src/kernel/duration.ts';
import { roleNames, type RoleName } from '../../../src/main/role.ts';
import type { ComposeFile, ComposeService } from './compose-file.ts';
import { configurationOf, imageFault, listenPortsOf } from './role-configuration.ts';

/** Where the Dockerfile puts the project. */
const imageFolder = '/opt/roomcell/';
const secretName = /_(SECRET|PASSWORD|SECRET_KEY)$/;
const roles: readonly RoleName[] = roleNames;

/** Every role of the program has a service that runs it, and every service of ours runs a role. */
export function roleFaults({ services }: ComposeFile): string[] {
  const faults = roles
    .filter((role) => services[role]?.command?.join(' ') !== role)
    .map((role) => `no service ${role} runs the role ${role}`);
  const strangers = Object.entries(services)
    .filter(([name, { build }]) => build !== undefined && !roles.includes(name as RoleName))
    .map(([name]) => `service ${name} is built here, but is no role`);
  return [...faults, ...strangers];
}

/** Each role would start with the service's variables and file, and listens where it is looked for. */
export function configurationFaults({ services }: ComposeFile): string[] {
  return roles.flatMap((role) => {
    const service = services[role];
    if (service === undefined) return [];
    const found = configurationOfService(role, service);
    if ('faults' in found) return found.faults.map((fault) => `${role}: ${fault}`);
    const listening = listenPortsOf(found.config, role);
    const wanted = (service.ports ?? []).map((port) => Number(port.split(':').at(-1)));
    const probed = service.healthcheck?.test?.join(' ') ?? '';
    const probedPort = Number(/127\.0\.0\.1:(\d+)\/readyz/.exec(probed)?.[1]);
    const graceMs = durationMs(service.stop_grace_period ?? '10s');
    return [
      ...wanted
        .filter((port) => !listening.includes(port))
        .map((port) => `${role}: publishes ${port}, but listens on ${listening.join(', ')}`),
      ...(listening[0] === probedPort ? [] : [`${role}: its health is asked on another port`]),
      ...(graceMs > found.config.drainTimeoutMs ? [] : [`${role}: is killed while it drains`]),
    ];
  });
}

/** What the file falls back to for a secret must not be of use in production. */
export function knownSecretFaults({ services }: ComposeFile): string[] {
  return roles.flatMap((role) => {
    const environment = services[role]?.environment ?? {};
    const secrets = Object.entries(environment).filter(([name]) => secretName.test(name));
    return secrets
      .filter(([, value]) => !String(value).startsWith('development-only-'))
      .map(([name]) => `${role}: the default of ${name} would pass in production`);
  });
}

/** Nothing is reachable from another machine. */
export function publishedPortFaults({ services }: ComposeFile): string[] {
  return Object.entries(services).flatMap(([name, { ports }]) =>
    (ports ?? [])
      .filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))
      .map((port) => `${name}: ${port} is open to other machines`),
  );
}

/** Every image is of a named version; Kafka and MySQL are those that the tests were written for. */
export function imageFaults({ services }: ComposeFile): string[] {
  const faults = Object.entries(services).flatMap(([name, { image }]) => {
    const fault = imageFault(image);
    return fault === undefined ? [] : [`${name}: ${fault}`];
  });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const wanted = { kafka: `apache/kafka:${KAFKA_VERSION}`, cell: `roomcell:${version}` };
  for (const [name, image] of Object.entries(wanted)) {
    const found = services[name]?.image;
    if (found !== image) faults.push(`${name}: is ${found}, but ought to be ${image}`);
  }
  return faults;
}

/** Who waits for a healthy service waits for one that can tell its health. */
export function dependencyFaults({ services }: ComposeFile): string[] {
  return Object.entries(services).flatMap(([name, { depends_on }]) =>
    Object.entries(depends_on ?? {}).flatMap(([other, { condition }]) => {
      if (services[other] === undefined)
        return [`${name}: waits for ${other}, which is no service`];
      const isAskable = services[other].healthcheck !== undefined;
      if (condition === 'service_healthy' && isAskable) return [];
      return [`${name}: does not wait until ${other} answers`];
    }),
  );
}

/** Kafka's offsets and MySQL's belong together: both on volumes of their own, or neither. */
export function volumeFaults({ services, volumes }: ComposeFile): string[] {
  return (['kafka', 'mysql'] as const).flatMap((name) => {
    const source = services[name]?.volumes?.[0]?.split(':')[0] ?? '';
    const isNamed = Object.hasOwn(volumes ?? {}, source);
    return isNamed ? [] : [`${name}: its data is on no named volume`];
  });
}

/** The broker behaves as that of the native stack, which every test was run on. */
export function brokerFaults({ services }: ComposeFile): string[] {
  const environment = services['kafka']?.environment ?? {};
  const layout = {
    dataFolder: '',
    listenPort: 0,
    advertisedPort: 0,
    directPort: 0,
    controllerPort: 0,
    doors: [],
  };
  const native = brokerProperties(layout)
    .trimEnd()
    .split('\n')
    .map((line) => line.split('=', 2) as [string, string]);
  return native.flatMap(([key, value]) => {
    const name = `KAFKA_${key.toUpperCase().replaceAll('.', '_')}`;
    const found = environment[name];
    if (ofThePlace.includes(key)) return found === undefined ? [`${name} is missing`] : [];
    return String(found) === value ? [] : [`${name} is ${found}, natively it is ${value}`];
  });
}

/** Addresses and folders: natively others than in a container. */
const ofThePlace = [
  'controller.quorum.voters',
  'listeners',
  'advertised.listeners',
  'listener.security.protocol.map',
  'inter.broker.listener.name',
  'log.dirs',
];

function configurationOfService(
  role: RoleName,
  service: ComposeService,
): ReturnType<typeof configurationOf> {
  const env = Object.fromEntries(
    Object.entries(service.environment ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const { ROOMCELL_CONFIG: file = '' } = env;
  if (!file.startsWith(`${imageFolder}config/`)) return { faults: [`${file} is not in the image`] };
  const yaml = readFileSync(file.slice(imageFolder.length), 'utf8');
  return configurationOf({ yaml, env, roles: [role] });
}

function durationMs(text: string): number {
  const parsed = parseDuration(text);
  return parsed.kind === 'ok' ? parsed.ms : 0;
}
