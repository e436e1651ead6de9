/** A least configuration and what tests load on top of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  loadConfig,
  type LoadedConfig,
  type LoadRequest,
} from '../../src/main/config/load-config.ts';

/** What a case changes beside the file. */
export type LoadOptions = Partial<Omit<LoadRequest, 'file'>>;

/** The keys that must be named, and nothing else. */
export const leastYaml = `
environment: development
lease_ttl: '15s'
kafka: { brokers: ['127.0.0.1:9092'], replication_factor: 1, min_insync_replicas: 1 }
mysql: { host: 127.0.0.1, user: root }
redis: { url: 'redis://127.0.0.1:6379' }
`;

/** One IM app, to be put behind `leastYaml`. */
export const demoApp = `
tencent_im:
  apps:
    demo: { sdk_app_id: 1400000001, base_url: 'http://127.0.0.1:7410' }
`;

/** Secrets of the gateway. */
export const gatewaySecrets = {
  ROOMCELL_AUTH_HS256_SECRET: 'a-secret-of-at-least-thirty-two-bytes',
  ROOMCELL_DEPLOYMENT_SECRET: 'another-secret-of-at-least-32-bytes!',
};

/** Secrets of every role, with one app called demo. */
export const secrets = {
  ...gatewaySecrets,
  ROOMCELL_TENCENT_IM_APPS_DEMO_SECRET_KEY: 'sixteen-bytes-or-more',
};

/** One test file's configurations. */
export interface ConfigFolder {
  readonly folder: string;
  /** Writes a file; answers its path. */
  fileWith(content: string): string;
  load(yaml: string, options?: LoadOptions): LoadedConfig;
  /** Every fault of the configuration; none when it is sound. */
  faultsOf(yaml: string, options?: LoadOptions): string[];
  remove(): void;
}

/** Makes an empty folder; call `remove` at the end. */
export function configFolder(): ConfigFolder {
  const folder = mkdtempSync(join(tmpdir(), 'roomcell-config-'));
  let fileCount = 0;
  const fileWith = (content: string): string => {
    fileCount += 1;
    const file = join(folder, `case-${fileCount}.yaml`);
    writeFileSync(file, content);
    return file;
  };
  const load = (yaml: string, options: LoadOptions = {}) =>
    loadConfig({ file: fileWith(yaml), env: {}, ...options });
  return {
    folder,
    fileWith,
    load,
    faultsOf(yaml, options = {}) {
      const loaded = load(yaml, options);
      return loaded.ok ? [] : loaded.faults;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
