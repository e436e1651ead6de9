/**
 * Fills the user's cache with the jars of one Kafka version, through Maven:
 * `node scripts/stack/fetch-kafka-jars.mjs <kafka version> <cache folder>`. The last line on
 * standard output is the folder with the jars. Two calls at once fetch once; a call that was
 * interrupted leaves nothing that a later one could take for complete.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '../file-lock.mjs';

/** Pinned: the plugin that old Maven versions pick by themselves can't resolve new artifacts. */
const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
/** Kafka names no log writer of its own outside its release archive; without one it is silent. */
const LOG_WRITER = {
  group: 'org.apache.logging.log4j',
  name: 'log4j-slf4j-impl',
  version: '2.25.4',
};

const [version, cache] = process.argv.slice(2);
if (version === undefined || cache === undefined) {
  console.error('usage: node scripts/stack/fetch-kafka-jars.mjs <kafka version> <cache folder>');
  process.exit(2);
}
await main(version, cache);

async function main(kafkaVersion, cacheFolder) {
  const target = join(cacheFolder, `kafka-${kafkaVersion}`);
  if (!isComplete(target)) {
    await withFileLock(
      `${target}.lock`,
      {
        onWait: (pid) => console.error(`kafka: waiting for process ${pid}, which fetches the jars`),
      },
      async () => {
        if (!isComplete(target)) await fetchInto(target, kafkaVersion, cacheFolder);
      },
    );
  }
  console.log(join(target, 'libs'));
}

/** `complete.json` is written last and lists every jar with its size. */
function isComplete(target) {
  const listFile = join(target, 'complete.json');
  if (!existsSync(listFile)) return false;
  const sizes = Object.entries(JSON.parse(readFileSync(listFile, 'utf8')));
  return sizes.every(([jar, sizeBytes]) => sizeOf(join(target, 'libs', jar)) === sizeBytes);
}

function sizeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

async function fetchInto(target, kafkaVersion, cacheFolder) {
  console.error(`kafka: fetching the jars of Kafka ${kafkaVersion} (about 54 MB, once)`);
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(`${target}.partial-`);
  try {
    writeFileSync(join(folder, 'pom.xml'), pom(kafkaVersion));
    await runMaven(folder);
    const jars = readdirSync(join(folder, 'libs')).filter((name) => name.endsWith('.jar'));
    if (!jars.includes(`kafka_2.13-${kafkaVersion}.jar`)) throw new Error('Maven copied no broker');
    const sizes = Object.fromEntries(jars.map((jar) => [jar, sizeOf(join(folder, 'libs', jar))]));
    writeFileSync(join(folder, 'complete.json'), JSON.stringify(sizes, undefined, 2));
    await rm(target, { recursive: true, force: true });
    await rename(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function pom(kafkaVersion) {
  const artifacts = [
    { group: 'org.apache.kafka', name: 'kafka_2.13', version: kafkaVersion },
    { group: 'org.apache.kafka', name: 'kafka-tools', version: kafkaVersion },
    LOG_WRITER,
  ];
  const dependencies = artifacts.map(
    (each) =>
      `<dependency><groupId>${each.group}</groupId><artifactId>${each.name}</artifactId>` +
      `<version>${each.version}</version></dependency>`,
  );
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    '<groupId>roomcell</groupId><artifactId>kafka-jars</artifactId><version>1</version>',
    `<packaging>pom</packaging><dependencies>${dependencies.join('')}</dependencies></project>`,
  ].join('\n');
}

async function runMaven(folder) {
  const mavenArguments = ['-q', '-B', '-ntp', `${DEPENDENCY_PLUGIN}:copy-dependencies`];
  mavenArguments.push('-DoutputDirectory=libs', '-DincludeScope=runtime');
  const child = spawn('mvn', mavenArguments, { cwd: folder, stdio: ['ignore', 2, 2] });
  const outcome = await new Promise((settle) => {
    child.once('error', (error) => settle(error.message));
    child.once('exit', (code, signal) => settle(signal ?? code));
  });
  if (outcome !== 0) throw new Error(`mvn ended with ${outcome}`);
}
