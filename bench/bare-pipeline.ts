/**
 * The bare pipeline: callers in this process produce records, a worker process turns them into rows
 * of one transaction per gathering and answers on the reply topic. The drivers are roomcell's own;
 * what is missing is everything that makes it a room service: gRPC, tokens, rooms, ids, fence.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createKafkaCommandSink } from '../src/drivers/kafka/kafka-command-sink.ts';
import { createKafkaReplySource } from '../src/drivers/kafka/kafka-reply-source.ts';
import { ensureTopics } from '../src/drivers/kafka/topics.ts';
import type { KafkaDeps, KafkaSettings } from '../src/drivers/kafka/kafka-settings.ts';
import { headerNames, topicNames } from '../src/protocol/topics.ts';
import { closedLoop, type Ask, type LoopTimes } from './closed-loop.ts';
import type { Figures } from './figures.ts';

/** Partitions of the bare topic, as many as roomcell's. */
export const barePartitions = 16;

/** About what a command of the service load takes on the topic. */
const recordBytes = 250;
const prefix = 'bare';

/** The two ends of the pipeline. */
export interface BarePipeline {
  measure(callers: number, times: LoopTimes): Promise<Figures>;
  stop(): Promise<void>;
}

/** Starts worker and reply reader. `env` says to the worker where everything is. */
export async function startBarePipeline(
  kafka: KafkaSettings,
  deps: KafkaDeps,
  env: NodeJS.ProcessEnv,
): Promise<BarePipeline> {
  const topics = topicNames(prefix);
  const plan = { prefix, commandPartitions: barePartitions, replyPartitions: 1 };
  await ensureTopics(kafka, { ...plan, replicationFactor: 1, minInsyncReplicas: 1 }, deps);
  const waiting = new Map<string, () => void>();
  const source = createKafkaReplySource(
    { kafka, topic: topics.replies, groupId: `${prefix}.gateway.${process.pid}` },
    deps,
  );
  const onReply = ({ correlationId }: { readonly correlationId: string }): void => {
    waiting.get(correlationId)?.();
    waiting.delete(correlationId);
  };
  const onLost = (cause: unknown): void => console.log(`    replies lost: ${String(cause)}`);
  await source.start(0, { onReply, onLost });
  const sink = createKafkaCommandSink({ kafka, topic: topics.commands }, deps);
  await sink.start();
  const worker = await startWorker(env);
  const value = Buffer.alloc(recordBytes, 'x');
  const key = Buffer.from('bare');
  let calls = 0;
  const ask =
    (caller: number): Ask =>
    async () => {
      const correlationId = `b${(calls += 1)}`;
      const answered = new Promise<void>((resolve) => waiting.set(correlationId, resolve));
      const headers = {
        [headerNames.correlationId]: correlationId,
        [headerNames.replyPartition]: '0',
      };
      const partition = caller % barePartitions;
      const produced = await sink.produce({ partition, key, value, headers });
      if (produced.kind !== 'stored') return false;
      await answered;
      return true;
    };
  return {
    measure: (callers, times) =>
      closedLoop(
        Array.from({ length: callers }, (_, caller) => ask(caller)),
        times,
      ),
    async stop() {
      worker.stdin?.end();
      await once(worker, 'close');
      await sink.stop();
      await source.stop();
    },
  };
}

async function startWorker(env: NodeJS.ProcessEnv): Promise<ReturnType<typeof spawn>> {
  const program = fileURLToPath(new URL('./bare-worker.js', import.meta.url));
  const worker = spawn(process.execPath, [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: worker.stdout })) {
    if (line === 'ready') return worker;
    console.log(`    ${line}`);
  }
  throw new Error('the worker of the bare pipeline did not become ready');
}
