/**
 * Calls to Redis that end in time. Behind one breaker: a Redis that does not answer costs its budget
 * three times, then nothing for five seconds.
 */
import type { ChainableCommander, Redis } from 'ioredis';
import { settleWithin } from '../settle-within.ts';
import { Breaker } from './breaker.ts';
import type { BreakerSettings } from './breaker.ts';
import type { RedisDeps } from './redis-client.ts';
import type { RedisScript } from './redis-script.ts';

/** The answers of a pipeline, or why there are none. */
export type Answers =
  | { readonly kind: 'answered'; readonly replies: readonly Reply[] }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** What one command of the pipeline ended with. */
export type Reply = { readonly error: Error } | { readonly value: unknown };

/** What one script answered, a list that begins with a word; or why there is none. */
export type Told =
  | { readonly kind: 'told'; readonly word: string; readonly rest: readonly unknown[] }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** One script call: its keys, which share a hash slot, and its arguments. */
export interface ScriptCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** See the file header. */
export class RedisCaller {
  private readonly client: Redis;
  private readonly deps: RedisDeps;
  private readonly breaker: Breaker;

  constructor(client: Redis, deps: RedisDeps, breaker?: BreakerSettings) {
    this.client = client;
    this.deps = deps;
    this.breaker = new Breaker(deps.clock, () => this.onOpen(), breaker);
  }

  get isOpen(): boolean {
    return this.breaker.isOpen;
  }

  /** Runs `script` once per call, in order, as one pipeline. Scripts the server forgot are resent. */
  async runScript(
    script: RedisScript,
    calls: readonly ScriptCall[],
    budgetMs: number,
  ): Promise<Answers> {
    const startedAt = this.deps.clock.monoMs();
    const first = await this.pipeline((pipeline) => {
      for (const { keys, args } of calls) {
        pipeline.evalsha(script.sha1, keys.length, ...keys, ...args);
      }
    }, budgetMs);
    if (first.kind !== 'answered') return first;
    const unknown = first.replies.flatMap((reply, index) => (isUnknown(reply) ? [index] : []));
    if (unknown.length === 0) return first;
    // A restarted server has forgotten its scripts: the whole text goes along once.
    const left = budgetMs - (this.deps.clock.monoMs() - startedAt);
    const second = await this.pipeline((pipeline) => {
      for (const index of unknown) {
        const { keys, args } = calls[index] as ScriptCall;
        pipeline.eval(script.text, keys.length, ...keys, ...args);
      }
    }, left);
    if (second.kind !== 'answered') return second;
    const replies = [...first.replies];
    unknown.forEach((index, position) => (replies[index] = second.replies[position] as Reply));
    return { kind: 'answered', replies };
  }

  /**
   * One call of a script that answers a word and more. Out of memory, a replica, a key of another kind:
   * whatever error the server answers, it is `unreachable` for its caller.
   */
  async tell(script: RedisScript, call: ScriptCall, budgetMs: number): Promise<Told> {
    const answers = await this.runScript(script, [call], budgetMs);
    if (answers.kind === 'unreachable') return answers;
    const reply = answers.replies[0];
    if (reply === undefined) return { kind: 'unreachable', cause: 'an answer is missing' };
    if ('error' in reply) return { kind: 'unreachable', cause: reply.error.message };
    const [word, ...rest] = reply.value as [string, ...unknown[]];
    return { kind: 'told', word, rest };
  }

  /** Sends what `fill` adds as one pipeline. Never rejects; ends within `budgetMs`. */
  async pipeline(fill: (pipeline: ChainableCommander) => void, budgetMs: number): Promise<Answers> {
    const { clock, timers, metrics } = this.deps;
    if (budgetMs <= 0) return unreachable('no time left');
    if (!this.breaker.allows()) {
      metrics.count('roomcell_redis_calls_total', { outcome: 'breaker_open' });
      return unreachable('the breaker is open');
    }
    const startedAt = clock.monoMs();
    const pipeline = this.client.pipeline();
    fill(pipeline);
    const settled = await settleWithin(timers, pipeline.exec(), budgetMs);
    const isAnswered =
      settled.kind === 'done' && settled.value !== null && hasAnswer(settled.value);
    metrics.count('roomcell_redis_calls_total', {
      outcome: settled.kind === 'timeout' ? 'timeout' : isAnswered ? 'ok' : 'error',
    });
    metrics.observeMs('roomcell_redis_call_ms', clock.monoMs() - startedAt);
    if (!isAnswered) {
      this.breaker.failed();
      return unreachable(causeOf(settled, budgetMs));
    }
    this.breaker.succeeded();
    const replies = (settled.value ?? []).map(([error, value]): Reply => {
      return error === null ? { value } : { error };
    });
    return { kind: 'answered', replies };
  }

  private onOpen(): void {
    this.deps.metrics.count('roomcell_redis_breaker_opened_total');
    this.deps.log.warn({}, 'Redis does not answer; not asked for a while, MySQL fences alone');
    // A frozen or half-open connection would keep every unanswered command in memory and answer
    // long dead questions first: begin anew.
    this.client.disconnect(true);
  }
}

type RawReplies = readonly (readonly [Error | null, unknown])[];

/** An error reply of the server is an answer; an error of the connection is none. */
function hasAnswer(replies: RawReplies): boolean {
  return replies.every(([error]) => error === null || error.name === 'ReplyError');
}

function isUnknown(reply: Reply): boolean {
  return 'error' in reply && reply.error.message.startsWith('NOSCRIPT');
}

function unreachable(cause: string): Answers {
  return { kind: 'unreachable', cause };
}

function causeOf(
  settled: Awaited<ReturnType<typeof settleWithin<RawReplies | null>>>,
  budgetMs: number,
): string {
  if (settled.kind === 'timeout') return `no answer within ${budgetMs} ms`;
  if (settled.kind === 'failed') return String(settled.error);
  const failed = settled.value?.find(([error]) => error !== null);
  return failed?.[0]?.message ?? 'the pipeline was cut';
}
