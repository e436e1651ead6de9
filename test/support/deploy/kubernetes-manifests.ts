/**
 * The manifests of k8s/ as objects, and the check of each against the Kubernetes API. The schema is
 * that of the published type definitions: the compiler knows each field, so that a misspelt one, a
 * missing one and one of the wrong type are faults, which a server would partly let pass.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

/** One object of a manifest. */
export interface Manifest {
  readonly file: string;
  readonly object: KubernetesObject;
}

/** What the rules look at; the compiler knows the rest. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec?: WorkloadSpec & Record<string, unknown>;
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

/** Of a Deployment, StatefulSet, Job, Service or PodDisruptionBudget. */
export interface WorkloadSpec {
  replicas?: number;
  serviceName?: string;
  clusterIP?: string;
  selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
  template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
  ports?: { port: number; targetPort: string }[];
}

/** A pod. */
export interface PodSpec {
  terminationGracePeriodSeconds?: number;
  enableServiceLinks?: boolean;
  automountServiceAccountToken?: boolean;
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number };
  containers: Container[];
  volumes?: { name: string; configMap?: { name: string } }[];
}

/** A container of a pod. */
export interface Container {
  name: string;
  image: string;
  args: string[];
  env: EnvVar[];
  ports?: { name: string; containerPort: number }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: {
    readOnlyRootFilesystem?: boolean;
    allowPrivilegeEscalation?: boolean;
    capabilities?: { drop?: string[] };
  };
  volumeMounts?: { name: string; mountPath: string }[];
}

/** One variable of a container. */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    secretKeyRef?: { name: string; key: string; optional?: boolean };
  };
}

interface Probe {
  httpGet?: { path: string; port: string };
}

/** Every object in the folder's files but kustomization.yaml, which is no object of the cluster. */
export function readManifests(folder: string): Manifest[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .sort()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('; ')}`);
        return { file, object: document.toJS() as KubernetesObject };
      }),
    );
}

/** Where the type of each kind stands in the package `kubernetes-types`. */
const modules: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
};

/** One sentence per place where an object is not what the Kubernetes API knows. */
export function kubernetesSchemaFaults(manifests: readonly Manifest[]): string[] {
  const sources = new Map<string, { readonly text: string; readonly of: string }>();
  const faults: string[] = [];
  for (const [index, { file, object }] of manifests.entries()) {
    const module = modules[object.apiVersion];
    const name = `${file}: ${object.kind} ${object.metadata.name}`;
    if (module === undefined || !/^[A-Za-z]+$/.test(object.kind)) {
      faults.push(`${name}: ${object.apiVersion} is not among the known API groups`);
      continue;
    }
    // Objects written out are checked for fields that their type lacks.
    const text =
      `import type { ${object.kind} as Kind } from 'kubernetes-types/${module}';\n` +
      `export const object: Kind = ${JSON.stringify(object, null, 1)};\n`;
    sources.set(join(import.meta.dirname, `manifest-${index}.ts`), { text, of: name });
  }
  return [...faults, ...compilerFaults(sources)];
}

function compilerFaults(
  sources: ReadonlyMap<string, { readonly text: string; readonly of: string }>,
): string[] {
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    // The package's modules are named without their file's ending.
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // Nothing here needs more, and more takes seconds.
    lib: ['lib.es5.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path)?.text ?? readFile(path);
  host.getSourceFile = (path, languageVersion, ...rest) => {
    const text = sources.get(path)?.text;
    if (text === undefined) return getSourceFile(path, languageVersion, ...rest);
    return ts.createSourceFile(path, text, languageVersion);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const of = sources.get(diagnostic.file?.fileName ?? '')?.of ?? 'the schema';
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
    return `${of}: ${text.replace(/\s+/g, ' ')}`;
  });
}
