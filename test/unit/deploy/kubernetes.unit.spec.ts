/**
 * The manifests of k8s/ without a cluster: by the types of the Kubernetes API, and by rules of our
 * own. Every rule is shown to refuse manifests that differ from ours in one place.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  kubernetesSchemaFaults,
  readManifests,
  type Container,
  type KubernetesObject,
  type Manifest,
  type PodSpec,
} from '../../support/deploy/kubernetes-manifests.ts';
import {
  budgetFaults,
  configurationFaults,
  copyFaults,
  kustomizationFaults,
  probeFaults,
  referenceFaults,
  roleFaults,
  safetyFaults,
  secretAndImageFaults,
  variableFaults,
} from '../../support/deploy/kubernetes-rules.ts';

/** The compiler reads the API's types once per check. */
const schemaTimeoutMs = 60_000;
const kustomization = readFileSync('k8s/kustomization.yaml', 'utf8');

type Rule = (manifests: readonly Manifest[]) => string[];
const rules: readonly Rule[] = [
  roleFaults,
  configurationFaults,
  variableFaults,
  copyFaults,
  probeFaults,
  safetyFaults,
  secretAndImageFaults,
  referenceFaults,
  budgetFaults,
  (manifests) => kustomizationFaults(manifests, kustomization),
];

/** Ways to break the manifests, the rule that sees it, and its sentence. */
const breaks: readonly (readonly [string, Rule, (objects: Objects) => unknown, RegExp])[] = [
  [
    'a role without a manifest',
    roleFaults,
    ({ drop }) => drop('Deployment', 'relay'),
    /no manifest runs the role relay/,
  ],
  [
    'the sandbox',
    roleFaults,
    ({ container }) => (container('relay').args = ['sandbox']),
    /sandbox is none of the roles/,
  ],
  [
    'a role in another file',
    roleFaults,
    ({ get }) => (get('Deployment', 'relay').metadata.name = 'carrier'),
    /carrier stands in relay\.yaml/,
  ],
  [
    'cells without stable names',
    roleFaults,
    ({ get }) => (get('StatefulSet', 'cell').kind = 'Deployment'),
    /cell: has no stable names/,
  ],
  [
    'a missing secret',
    configurationFaults,
    ({ without }) => without('gateway', 'ROOMCELL_DEPLOYMENT_SECRET'),
    /gateway: deployment_secret: is missing/,
  ],
  [
    'a cell without its address',
    configurationFaults,
    ({ without }) => without('cell', 'ROOMCELL_ADVERTISE_ADDR'),
    /cell: advertise_addr: is missing/,
  ],
  [
    "a cell with a Service's address",
    configurationFaults,
    ({ variable }) => (variable('cell', 'ROOMCELL_ADVERTISE_ADDR').value = '10.96.0.7:7400'),
    /no address of this machine/,
  ],
  [
    'a node that is named by chance',
    configurationFaults,
    ({ without }) => without('relay', 'ROOMCELL_NODE_ID'),
    /relay: its node id is not the pod's name/,
  ],
  [
    'a port that nobody listens on',
    configurationFaults,
    ({ container }) => (container('gateway').ports![0]!.containerPort = 7401),
    /gateway: names the ports 7401/,
  ],
  [
    'a grace period shorter than the drain',
    configurationFaults,
    ({ pod }) => (pod('cell').terminationGracePeriodSeconds = 25),
    /cell: is killed in its drain/,
  ],
  [
    'a pause that eats the grace period',
    configurationFaults,
    ({ container }) => (container('gateway').lifecycle!.preStop!.sleep!.seconds = 20),
    /gateway: is killed in its drain/,
  ],
  [
    'a variable that is no key',
    variableFaults,
    ({ variable }) => (variable('cell', 'ROOMCELL_NODE_ID').name = 'ROOMCELL_NODE_IDS'),
    /ROOMCELL_NODE_IDS is no key's variable/,
  ],
  [
    'a copy that fell behind',
    copyFaults,
    ({ get }) =>
      replaceIn(get('ConfigMap', 'roomcell-config'), "lease_ttl: '15s'", "lease_ttl: '5s'"),
    /lease_ttl: is 5s/,
  ],
  [
    'a copy that lacks a key',
    copyFaults,
    ({ get }) => replaceIn(get('ConfigMap', 'roomcell-config'), 'rank_limit: 20\n', ''),
    /rank_limit: is undefined/,
  ],
  [
    'a probe of a path that is not served',
    probeFaults,
    ({ container }) => (container('relay').readinessProbe!.httpGet!.path = '/healthz'),
    /relay: is not asked for \/readyz/,
  ],
  [
    'a probe of another port',
    probeFaults,
    ({ container }) => (container('gateway').livenessProbe!.httpGet!.port = 'grpc'),
    /gateway: is not asked for \/livez/,
  ],
  [
    'root',
    safetyFaults,
    ({ pod }) => (pod('cell').securityContext!.runAsUser = 0),
    /cell: may run as root/,
  ],
  [
    'files that can be changed',
    safetyFaults,
    ({ container }) => delete container('cell').securityContext!.readOnlyRootFilesystem,
    /may write to its files/,
  ],
  [
    'rights to gain',
    safetyFaults,
    ({ container }) => delete container('cell').securityContext!.allowPrivilegeEscalation,
    /may gain rights/,
  ],
  [
    'capabilities',
    safetyFaults,
    ({ container }) => delete container('cell').securityContext!.capabilities,
    /keeps capabilities/,
  ],
  [
    'a token of the cluster',
    safetyFaults,
    ({ pod }) => delete pod('cell').automountServiceAccountToken,
    /gets a token/,
  ],
  [
    'variables of services',
    safetyFaults,
    ({ pod }) => delete pod('cell').enableServiceLinks,
    /gets variables of services/,
  ],
  [
    'memory without limit',
    safetyFaults,
    ({ container }) => delete container('cell').resources!.limits,
    /has no limit of memory/,
  ],
  [
    'no CPU asked for',
    safetyFaults,
    ({ container }) => delete container('cell').resources!.requests,
    /asks for no CPU/,
  ],
  [
    'an image of no version',
    secretAndImageFaults,
    ({ container }) => (container('relay').image = 'registry.example/roomcell'),
    /names no version/,
  ],
  [
    'the newest image',
    secretAndImageFaults,
    ({ container }) => (container('relay').image = 'registry.example/roomcell:latest'),
    /whatever is newest/,
  ],
  [
    'an image of another release',
    secretAndImageFaults,
    ({ container }) => (container('relay').image = 'registry.example/roomcell:0.0.9'),
    /relay: is of another release/,
  ],
  [
    'a secret in a manifest',
    secretAndImageFaults,
    ({ variable }) => (variable('relay', 'ROOMCELL_MYSQL_PASSWORD').value = 'root'),
    /ROOMCELL_MYSQL_PASSWORD stands in the manifest/,
  ],
  [
    'a value in the example of secrets',
    secretAndImageFaults,
    ({ get }) => (get('Secret', 'roomcell-secrets').stringData!['mysql-password'] = 'root'),
    /holds a value of mysql-password/,
  ],
  [
    'a secret without an example',
    secretAndImageFaults,
    ({ get }) => delete get('Secret', 'roomcell-secrets').stringData!['deployment-secret'],
    /deployment-secret has no example/,
  ],
  [
    'a service that selects nothing',
    referenceFaults,
    ({ get }) => (get('Service', 'gateway').spec!.selector = { app: 'gateway' }),
    /Service gateway: selects 0/,
  ],
  [
    'a service port that leads nowhere',
    referenceFaults,
    ({ get }) => (get('Service', 'gateway').spec!.ports![0]!.targetPort = 'ops'),
    /port 7400 leads nowhere/,
  ],
  [
    'cells without their headless service',
    referenceFaults,
    ({ get }) => delete get('Service', 'cell').spec!.clusterIP,
    /its headless service is missing/,
  ],
  [
    'cells without a budget',
    budgetFaults,
    ({ drop }) => drop('PodDisruptionBudget', 'cell'),
    /no disruption budget/,
  ],
];

describe('the manifests of k8s/', () => {
  const manifests = readManifests('k8s');

  it('keep to every rule', () => {
    expect(rules.flatMap((rule) => rule(manifests))).toEqual([]);
  });

  it('are what the Kubernetes API knows', { timeout: schemaTimeoutMs }, () => {
    expect(kubernetesSchemaFaults(manifests)).toEqual([]);
  });

  it('are refused by the API for each kind of mistake', { timeout: schemaTimeoutMs }, () => {
    const objects = new Objects(structuredClone(manifests));
    Object.assign(objects.pod('cell'), { teminationGracePeriodSeconds: 40 });
    delete objects.get('Deployment', 'relay').spec!.selector;
    Object.assign(objects.container('gateway').ports![0]!, { containerPort: '7400' });
    objects.get('PodDisruptionBudget', 'cell').apiVersion = 'policy/v1beta1';
    const faults = kubernetesSchemaFaults(objects.manifests).join('\n');
    expect(faults).toMatch(/cell\.yaml: StatefulSet cell: .*teminationGracePeriodSeconds/);
    expect(faults).toMatch(/relay\.yaml: Deployment relay: .*selector/);
    expect(faults).toMatch(/gateway\.yaml: Deployment gateway: .*'string' is not assignable/);
    expect(faults).toMatch(/PodDisruptionBudget cell: policy\/v1beta1 is not among/);
  });

  it.each(breaks)('are refused for %s', (_, rule, breakIt, sentence) => {
    const objects = new Objects(structuredClone(manifests));
    breakIt(objects);
    expect(rule(objects.manifests).join('\n')).toMatch(sentence);
  });

  it.each([
    ['a file that is left out', /resources are not/, kustomization.replace('  - relay.yaml\n', '')],
    [
      'the example of secrets',
      /resources are not/,
      kustomization.replace('relay.yaml', 'secret.example.yaml'),
    ],
    [
      'an older version',
      /something else is set/,
      kustomization.replace('newTag: 0.4.0', 'newTag: 0.0.9'),
    ],
  ])('are refused for a kustomization with %s', (_, sentence, text) => {
    expect(kustomizationFaults(manifests, text).join('\n')).toMatch(sentence);
  });
});

function replaceIn(map: KubernetesObject, text: string, by: string): void {
  const data = map.data ?? {};
  data['roomcell.yaml'] = (data['roomcell.yaml'] ?? '').replace(text, by);
}

/** A copy of the manifests to break. */
class Objects {
  readonly manifests: Manifest[];
  // Bound, so that a case can take what it needs apart.
  readonly get = (kind: string, name: string): KubernetesObject => {
    const found = this.manifests.find(
      ({ object }) => object.kind === kind && object.metadata.name === name,
    );
    if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
    return found.object;
  };
  readonly drop = (kind: string, name: string): void => {
    const object = this.get(kind, name);
    this.manifests.splice(
      this.manifests.findIndex((manifest) => manifest.object === object),
      1,
    );
  };
  readonly pod = (role: string): PodSpec =>
    this.get(role === 'cell' ? 'StatefulSet' : 'Deployment', role).spec!.template!.spec;
  readonly container = (role: string): Container => this.pod(role).containers[0]!;
  readonly variable = (role: string, name: string): Container['env'][number] => {
    const found = this.container(role).env.find((variable) => variable.name === name);
    if (found === undefined) throw new Error(`${role} has no variable ${name}`);
    return found;
  };
  readonly without = (role: string, name: string): void => {
    const { env } = this.container(role);
    env.splice(env.indexOf(this.variable(role, name)), 1);
  };

  constructor(manifests: Manifest[]) {
    this.manifests = manifests;
  }
}
