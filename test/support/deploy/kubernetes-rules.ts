/**
 * What the manifests of k8s/ must keep to, beside the schema of the Kubernetes API. Each rule
 * answers one sentence per breach.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { keyTable } from '../../../src/main/config/key-table.ts';
import { roleNames, type RoleName } from '../../../src/main/role.ts';
import type { Container, Manifest, PodSpec } from './kubernetes-manifests.ts';
import { configurationOf, imageFault, listenPortsOf } from './role-configuration.ts';

/** The sandbox stands in for the outside world and is refused in production. */
const roles = roleNames.filter((role) => role !== 'sandbox');
const podAddress = '10.1.2.3';
/** What a deployment may choose for itself in the ConfigMap's copy of config/production.yaml. */
const ownKeys = [
  ...['kafka.brokers', 'mysql.host', 'mysql.user', 'redis.url', 'auth.jwks_url'],
  ...['tencent_im.apps', 'activity.addr'],
];

interface Workload {
  readonly role: string;
  readonly kind: string;
  readonly pod: PodSpec;
  readonly container: Container;
}

/** Every role runs from a manifest of its own name, and nothing else does but the migration. */
export function roleFaults(manifests: readonly Manifest[]): string[] {
  const found = workloads(manifests);
  const faults = roles
    .filter((role) => !found.some((workload) => workload.role === role))
    .map((role) => `no manifest runs the role ${role}`);
  const strangers = found.filter(({ role }) => !([...roles, 'migrate'] as string[]).includes(role));
  const misplaced = manifests.filter(
    ({ file, object }) =>
      (object.kind === 'Deployment' || object.kind === 'StatefulSet') &&
      file !== `${object.metadata.name}.yaml`,
  );
  const cell = found.find(({ role }) => role === 'cell');
  return [
    ...faults,
    ...strangers.map(({ role }) => `${role} is none of the roles of a deployment`),
    ...misplaced.map(({ file, object }) => `${object.metadata.name} stands in ${file}`),
    ...(cell?.kind === 'StatefulSet' ? [] : ['cell: has no stable names']),
  ];
}

/** Each role would start with its variables and the ConfigMap, and listens where it says. */
export function configurationFaults(manifests: readonly Manifest[]): string[] {
  return workloads(manifests).flatMap(({ role, pod, container }) => {
    const isRole = (roles as string[]).includes(role);
    const found = configurationOf({
      yaml: configurationFile(manifests),
      env: environmentOf(container),
      roles: isRole ? [role as RoleName] : [],
      localAddresses: [podAddress],
    });
    if ('faults' in found) return found.faults.map((fault) => `${role}: ${fault}`);
    if (!isRole) return [];
    const listening = listenPortsOf(found.config, role as RoleName).sort();
    const named = (container.ports ?? []).map((port) => port.containerPort).sort();
    const leaveMs = 1000 * (container.lifecycle?.preStop?.sleep?.seconds ?? 0);
    const graceMs = 1000 * (pod.terminationGracePeriodSeconds ?? 30);
    const isNamedByPod = found.config.nodeId === podName;
    return [
      ...(String(listening) === String(named)
        ? []
        : [`${role}: names the ports ${named.join()}, but listens on ${listening.join()}`]),
      ...(graceMs > found.config.drainTimeoutMs + leaveMs
        ? []
        : [`${role}: is killed in its drain`]),
      ...(isNamedByPod ? [] : [`${role}: its node id is not the pod's name`]),
    ];
  });
}

/** Every ROOMCELL_ variable is a key's, also in an optional or unused place. */
export function variableFaults(manifests: readonly Manifest[]): string[] {
  const known = keyTable().map(
    ({ variable }) => new RegExp(`^${variable.replace('<APP_CODE>', '[A-Z0-9_]+')}(_FILE)?$`),
  );
  return workloads(manifests).flatMap(({ role, container }) =>
    container.env
      .filter(({ name }) => name !== 'ROOMCELL_CONFIG' && name !== 'POD_IP')
      .filter(({ name }) => !known.some((pattern) => pattern.test(name)))
      .map(({ name }) => `${role}: ${name} is no key's variable`),
  );
}

/** The ConfigMap's file differs from config/production.yaml only where a deployment must choose. */
export function copyFaults(manifests: readonly Manifest[]): string[] {
  const copy = leaves(parse(configurationFile(manifests)) as object);
  const original = leaves(parse(readFileSync('config/production.yaml', 'utf8')) as object);
  const keys = new Set([...copy.keys(), ...original.keys()]);
  return [...keys]
    .filter((key) => !ownKeys.some((own) => key === own || key.startsWith(`${own}.`)))
    .filter((key) => copy.get(key) !== original.get(key))
    .map(
      (key) =>
        `${key}: is ${String(copy.get(key))}, in config/production.yaml ${String(original.get(key))}`,
    );
}

/** Probes ask the operations port for what it serves. */
export function probeFaults(manifests: readonly Manifest[]): string[] {
  const served = readFileSync('src/drivers/http/ops-server.ts', 'utf8');
  return workloads(manifests).flatMap(({ role, container }) => {
    if (role === 'migrate') return [];
    const asked = { '/livez': container.livenessProbe, '/readyz': container.readinessProbe };
    return Object.entries(asked).flatMap(([path, probe]) => {
      const isServed = served.includes(`case '${path}':`);
      const isAsked = probe?.httpGet?.path === path && probe.httpGet.port === 'ops';
      return isServed && isAsked ? [] : [`${role}: is not asked for ${path} on the port ops`];
    });
  });
}

/** Pods run as an ordinary user, on files that cannot be changed, within limits. */
export function safetyFaults(manifests: readonly Manifest[]): string[] {
  return workloads(manifests).flatMap(({ role, pod, container }) => {
    const safety = container.securityContext;
    const demands: Readonly<Record<string, boolean>> = {
      'may run as root':
        pod.securityContext?.runAsNonRoot !== true || !((pod.securityContext.runAsUser ?? 0) > 0),
      'may write to its files': safety?.readOnlyRootFilesystem !== true,
      'may gain rights': safety?.allowPrivilegeEscalation !== false,
      'keeps capabilities': safety?.capabilities?.drop?.join() !== 'ALL',
      'gets a token of the cluster': pod.automountServiceAccountToken !== false,
      'gets variables of services': pod.enableServiceLinks !== false,
      'has no limit of memory': container.resources?.limits?.['memory'] === undefined,
      'asks for no CPU': container.resources?.requests?.['cpu'] === undefined,
    };
    const broken = Object.entries(demands).filter(([, isBroken]) => isBroken);
    return broken.map(([fault]) => `${role}: ${fault}`);
  });
}

/** Images are of this release; no secret stands in a file, and each that is named has an example. */
export function secretAndImageFaults(manifests: readonly Manifest[]): string[] {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const examples = manifests.filter(({ object }) => object.kind === 'Secret');
  const exampleKeys = examples.flatMap(({ object }) =>
    Object.keys(object.stringData ?? {}).map((key) => `${object.metadata.name}/${key}`),
  );
  const values = examples.flatMap(({ file, object }) =>
    Object.entries({ ...object.data, ...object.stringData })
      .filter(([, value]) => value !== '')
      .map(([key]) => `${file}: holds a value of ${key}`),
  );
  const secretVariables = keyTable()
    .filter(({ kind }) => kind === 'secret')
    .map(({ variable }) => new RegExp(`^${variable.replace('<APP_CODE>', '[A-Z0-9_]+')}$`));
  const ofContainers = workloads(manifests).flatMap(({ role, container }) => [
    ...[imageFault(container.image)].filter((fault) => fault !== undefined),
    ...(container.image.endsWith(`/roomcell:${version}`) ? [] : [`${role}: is of another release`]),
    ...container.env.flatMap(({ name, value, valueFrom }) => {
      const isSecret = secretVariables.some((pattern) => pattern.test(name));
      if (isSecret && value !== undefined) return [`${role}: ${name} stands in the manifest`];
      const ref = valueFrom?.secretKeyRef;
      if (ref === undefined || exampleKeys.includes(`${ref.name}/${ref.key}`)) return [];
      return [`${role}: ${ref.name}/${ref.key} has no example`];
    }),
  ]);
  return [...values, ...ofContainers];
}

/** Labels, services, budgets and volumes lead to something that is there. */
export function referenceFaults(manifests: readonly Manifest[]): string[] {
  const labelled = manifests.flatMap(({ object }) => object.spec?.template ?? []);
  const selects = (labels: Readonly<Record<string, unknown>>): typeof labelled =>
    labelled.filter(({ metadata }) =>
      Object.entries(labels).every(([key, value]) => metadata.labels[key] === value),
    );
  return manifests.flatMap(({ object }) => {
    const { kind, metadata, spec } = object;
    const of = `${kind} ${metadata.name}`;
    const selector = spec?.selector?.matchLabels ?? spec?.selector ?? {};
    const faults: string[] = [];
    if (spec?.selector !== undefined && selects(selector).length !== 1) {
      faults.push(`${of}: selects ${selects(selector).length} kinds of pods`);
    }
    const ports = selects(selector)[0]?.spec.containers[0]?.ports ?? [];
    for (const { port, targetPort } of kind === 'Service' ? (spec?.ports ?? []) : []) {
      const target = ports.find(({ name }) => name === targetPort);
      if (target?.containerPort !== port) faults.push(`${of}: port ${port} leads nowhere`);
    }
    const headless = manifests.some(
      (other) =>
        other.object.kind === 'Service' &&
        other.object.spec?.clusterIP === 'None' &&
        other.object.metadata.name === spec?.serviceName,
    );
    if (kind === 'StatefulSet' && !headless) faults.push(`${of}: its headless service is missing`);
    return faults;
  });
}

/** A node leaves one cell at a time. */
export function budgetFaults(manifests: readonly Manifest[]): string[] {
  const budget = manifests.find(({ object }) => object.kind === 'PodDisruptionBudget')?.object;
  const selected = budget?.spec?.selector?.matchLabels?.['app.kubernetes.io/component'];
  const isTight = selected === 'cell' && budget?.spec?.['maxUnavailable'] === 1;
  return isTight ? [] : ['cells have no disruption budget of one'];
}

/** Kustomize takes every file but the example of secrets, and sets this release's version. */
export function kustomizationFaults(manifests: readonly Manifest[], text: string): string[] {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const files = [...new Set(manifests.map(({ file }) => file))]
    .filter((file) => file !== 'secret.example.yaml')
    .sort();
  const { resources, ...rest } = parse(text) as { resources: string[] } & Record<string, unknown>;
  const wanted = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'roomcell',
    images: [{ name: 'registry.example/roomcell', newTag: version }],
  };
  return [
    ...(String([...resources].sort()) === String(files)
      ? []
      : [`resources are not ${files.join()}`]),
    ...(JSON.stringify(rest, Object.keys(wanted).concat('name', 'newTag')) ===
    JSON.stringify(wanted)
      ? []
      : ['something else is set than the namespace and the version']),
  ];
}

const podName = 'cell-0';

function workloads(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap(({ object: { kind, spec } }) => {
    const pod = spec?.template?.spec;
    return (pod?.containers ?? []).map((container) => ({
      role: container.args.join(' '),
      kind,
      pod: pod as PodSpec,
      container,
    }));
  });
}

function configurationFile(manifests: readonly Manifest[]): string {
  const map = manifests.find(({ object }) => object.kind === 'ConfigMap')?.object;
  return map?.data?.['roomcell.yaml'] ?? '';
}

/** As the kubelet fills it in; secrets get a value that only their own checks can refuse. */
function environmentOf({ env }: Container): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const field = valueFrom?.fieldRef?.fieldPath;
    const fromField = { 'metadata.name': podName, 'status.podIP': podAddress }[field ?? ''];
    const secret = valueFrom?.secretKeyRef === undefined ? undefined : 'x'.repeat(32);
    const plain = value?.replace(/\$\(([A-Z_]+)\)/g, (_, other: string) => filled[other] ?? '');
    filled[name] = plain ?? fromField ?? secret ?? '';
  }
  return filled;
}

function leaves(tree: object, path = ''): Map<string, unknown> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]: [string, unknown]) => {
      const here = path === '' ? key : `${path}.${key}`;
      if (typeof value !== 'object' || value === null) return [[here, value] as const];
      return [...leaves(value, here)];
    }),
  );
}
