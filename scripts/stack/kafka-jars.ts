/**
 * Finds what the broker needs before it can start: a Java, and Kafka's jars in the user's cache,
 * fetched through Maven when they aren't there yet.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/main/project-root.ts';
import { cacheFolder, findProgram } from './machine.ts';
import type { MissingPiece } from './stack-types.ts';

/** The broker version of the native stack. */
export const KAFKA_VERSION = '4.3.1';
const JAVA_MAJOR_MIN = 17;

type Environment = Readonly<Record<string, string | undefined>>;

/** What `findKafkaTools` found: the Java to use, and what is missing. */
export interface KafkaTools {
  readonly java: string | undefined;
  readonly missing: readonly MissingPiece[];
}

/** Looks for Java and, unless the jars are cached, for Maven. Changes nothing. */
export async function findKafkaTools(environment: Environment): Promise<KafkaTools> {
  const missing: MissingPiece[] = [];
  const java = findJava(environment);
  const major = java === undefined ? undefined : await javaMajor(java);
  if (major === undefined || major < JAVA_MAJOR_MIN) {
    const found = major === undefined ? 'none was found' : `found Java ${major}`;
    missing.push({
      what: `Java ${JAVA_MAJOR_MIN} or newer, for the Kafka broker (${found})`,
      howToInstall:
        'Debian, Ubuntu: apt-get install openjdk-17-jre-headless · macOS: brew install openjdk',
    });
  }
  const jarsAreCached = existsSync(
    join(cacheFolder(environment), `kafka-${KAFKA_VERSION}`, 'complete.json'),
  );
  if (!jarsAreCached && findProgram('mvn') === undefined) {
    missing.push({
      what: 'Maven (mvn), which fetches the Kafka broker once',
      howToInstall: 'Debian, Ubuntu: apt-get install maven · macOS: brew install maven',
    });
  }
  return { java, missing };
}

function findJava(environment: Environment): string | undefined {
  const home = environment['JAVA_HOME'];
  const ofHome = home === undefined || home === '' ? undefined : join(home, 'bin', 'java');
  return ofHome !== undefined && existsSync(ofHome) ? ofHome : findProgram('java');
}

async function javaMajor(java: string): Promise<number | undefined> {
  try {
    // `java -version` speaks on stderr: openjdk version "17.0.15" 2025-04-15
    const { stderr } = await promisify(execFile)(java, ['-version']);
    const major = /version "(\d+)/.exec(stderr)?.[1];
    return major === undefined ? undefined : Number(major);
  } catch {
    return undefined;
  }
}

/** Promises the folder with the jars, fetched now if need be. */
export async function ensureKafkaJars(environment: Environment): Promise<string> {
  // A process of its own: it is plain JavaScript and takes the same file lock as the bootstrap.
  const script = join(projectRoot(), 'scripts', 'stack', 'fetch-kafka-jars.mjs');
  const child = spawn(process.execPath, [script, KAFKA_VERSION, cacheFolder(environment)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((settle, reject) => {
    child.once('error', reject);
    child.once('close', settle);
  });
  if (code !== 0) throw new Error(`fetching the jars of Kafka ${KAFKA_VERSION} failed (see above)`);
  return output.trim();
}
