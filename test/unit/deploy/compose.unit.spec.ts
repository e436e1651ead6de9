/**
 * docker-compose.yml without an engine: by the Compose Specification's schema, and by rules of our
 * own. Every rule is shown to refuse a file that differs from ours in one place.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  composeSchemaFaults,
  readComposeFile,
  type ComposeFile,
  type ComposeService,
} from '../../support/deploy/compose-file.ts';
import {
  brokerFaults,
  configurationFaults,
  dependencyFaults,
  imageFaults,
  knownSecretFaults,
  publishedPortFaults,
  roleFaults,
  volumeFaults,
} from '../../support/deploy/compose-rules.ts';

const text = readFileSync('docker-compose.yml', 'utf8');

type Rule = (file: ComposeFile) => string[];
type Services = Record<string, ComposeService & { environment: Record<string, string | number> }>;

const rules: readonly Rule[] = [
  composeSchemaFaults,
  roleFaults,
  configurationFaults,
  knownSecretFaults,
  publishedPortFaults,
  imageFaults,
  dependencyFaults,
  volumeFaults,
  brokerFaults,
];

/** A way to break the file, the rule that sees it, and its sentence. */
const breaks: readonly (readonly [string, Rule, (services: Services) => unknown, RegExp])[] = [
  [
    'a misspelt key',
    composeSchemaFaults,
    ({ cell }) => Object.assign(cell!, { comand: [] }),
    /comand/,
  ],
  [
    'a condition that is none',
    composeSchemaFaults,
    ({ cell }) => (cell!.depends_on = { kafka: { condition: 'healthy' } }),
    /depends_on/,
  ],
  [
    'a pause without a unit',
    composeSchemaFaults,
    ({ cell }) => (cell!.stop_grace_period = '35'),
    /stop_grace_period/,
  ],
  [
    'a role without a service',
    roleFaults,
    (services) => delete services['relay'],
    /no service relay/,
  ],
  [
    'a service that runs another role',
    roleFaults,
    ({ relay }) => (relay!.command = ['cell']),
    /no service relay/,
  ],
  [
    'a service of a role that is gone',
    roleFaults,
    (services) => (services['wallet'] = services['cell']!),
    /wallet is built here/,
  ],
  [
    'a misspelt variable',
    configurationFaults,
    ({ cell }) => (cell!.environment['ROOMCELL_MYSQL_HOTS'] = 'x'),
    /ROOMCELL_MYSQL_HOTS: is not the variable/,
  ],
  [
    'a missing secret',
    configurationFaults,
    ({ gateway }) => delete gateway!.environment['ROOMCELL_DEPLOYMENT_SECRET'],
    /gateway: deployment_secret: is missing/,
  ],
  [
    'a file that is not in the image',
    configurationFaults,
    ({ cell }) => (cell!.environment['ROOMCELL_CONFIG'] = '/etc/x.yaml'),
    /not in the image/,
  ],
  [
    'a published port that nobody listens on',
    configurationFaults,
    ({ gateway }) => gateway!.ports!.push('127.0.0.1:1:7401'),
    /publishes 7401/,
  ],
  [
    'a published port that listens inside only',
    configurationFaults,
    ({ gateway }) => (gateway!.environment['ROOMCELL_GATEWAY_GRPC_LISTEN'] = '127.0.0.1:7400'),
    /publishes 7400/,
  ],
  [
    'a health check on another port',
    configurationFaults,
    ({ relay }) => (relay!.environment['ROOMCELL_OPS_LISTEN'] = '0.0.0.0:7481'),
    /health is asked on another port/,
  ],
  [
    'a grace period shorter than the drain',
    configurationFaults,
    ({ cell }) => (cell!.stop_grace_period = '20s'),
    /killed while it drains/,
  ],
  [
    'a secret that production would take',
    knownSecretFaults,
    ({ cell }) => (cell!.environment['ROOMCELL_MYSQL_PASSWORD'] = 'root'),
    /ROOMCELL_MYSQL_PASSWORD would pass/,
  ],
  [
    'a port open to other machines',
    publishedPortFaults,
    ({ redis }) => (redis!.ports = ['16379:6379']),
    /open to other machines/,
  ],
  [
    'an image of no version',
    imageFaults,
    ({ redis }) => (redis!.image = 'redis'),
    /names no version/,
  ],
  [
    'the newest image',
    imageFaults,
    ({ mysql }) => (mysql!.image = 'mysql:latest'),
    /whatever is newest/,
  ],
  [
    'another Kafka than the tests have',
    imageFaults,
    ({ kafka }) => (kafka!.image = 'apache/kafka:3.9.0'),
    /kafka: is apache\/kafka:3\.9\.0/,
  ],
  [
    'an image of another release',
    imageFaults,
    ({ cell }) => (cell!.image = 'roomcell:0.0.9'),
    /cell: is roomcell:0\.0\.9/,
  ],
  [
    'a wait for a service that is not there',
    dependencyFaults,
    (services) => delete services['redis'],
    /redis, which is no service/,
  ],
  [
    'a wait for a service that only started',
    dependencyFaults,
    ({ cell }) => (cell!.depends_on!['kafka']!.condition = 'service_started'),
    /cell: does not wait until kafka answers/,
  ],
  [
    'a wait for a service that cannot tell',
    dependencyFaults,
    ({ mysql }) => delete mysql!.healthcheck,
    /does not wait until mysql answers/,
  ],
  [
    'Kafka that forgets while MySQL remembers',
    volumeFaults,
    ({ kafka }) => delete kafka!.volumes,
    /kafka: its data/,
  ],
  [
    'a broker that makes topics by itself',
    brokerFaults,
    ({ kafka }) => (kafka!.environment['KAFKA_AUTO_CREATE_TOPICS_ENABLE'] = 'true'),
    /AUTO_CREATE_TOPICS_ENABLE is true/,
  ],
  [
    'a broker without listeners',
    brokerFaults,
    ({ kafka }) => delete kafka!.environment['KAFKA_LISTENERS'],
    /KAFKA_LISTENERS is missing/,
  ],
];

describe('docker-compose.yml', () => {
  it('keeps to the Compose Specification and to every rule', () => {
    const file = readComposeFile(text);
    expect(rules.flatMap((rule) => rule(file))).toEqual([]);
  });

  it('takes ports and secrets from the environment', () => {
    const { services } = readComposeFile(text, {
      STACK_KAFKA_PORT: '20001',
      STACK_MYSQL_PORT: '20002',
      STACK_REDIS_PORT: '20003',
      STACK_KAFKA_UI_PORT: '20004',
      ROOMCELL_MYSQL_PASSWORD: 'of-this-run',
    });
    const ports = ['kafka', 'mysql', 'redis', 'kafka-ui'].map((name) => services[name]?.ports);
    expect(ports).toEqual([
      ['127.0.0.1:20001:19092'],
      ['127.0.0.1:20002:3306'],
      ['127.0.0.1:20003:6379'],
      ['127.0.0.1:20004:8080'],
    ]);
    // A client goes on at the address that the broker names.
    const advertised = services['kafka']?.environment?.['KAFKA_ADVERTISED_LISTENERS'];
    expect(advertised).toContain('DIRECT://127.0.0.1:20001');
    expect(services['mysql']?.environment?.['MYSQL_ROOT_PASSWORD']).toBe('of-this-run');
    expect(services['cell']?.environment?.['ROOMCELL_MYSQL_PASSWORD']).toBe('of-this-run');
  });

  it.each(breaks)('is refused for %s', (_, rule, breakIt, sentence) => {
    // Through JSON: merge keys make services share objects, and a change would go through all.
    const file = JSON.parse(JSON.stringify(readComposeFile(text))) as ComposeFile;
    breakIt(file.services as Services);
    expect(rule(file).join('\n')).toMatch(sentence);
  });
});
