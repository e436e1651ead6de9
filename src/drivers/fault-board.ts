/**
 * Faults that somebody ordered at a stand-in: each hits the next requests, a number of times, and is
 * gone. Stand-ins of the sandbox and twins in memory take the same orders.
 */

import type { Random } from '../ports/random.ts';

/** What can go wrong at the IM stand-in. */
export const imFaultKinds = [
  'http_502',
  'hang',
  'cut_after_store',
  'error_code',
  'drop',
  'slow',
  'twice',
] as const;
/** What can go wrong with one event at the activity stand-in, whether it comes alone or in a batch. */
export const ingestFaultKinds = [
  'unavailable',
  'applied_then_cut',
  'slow',
  'refuse',
  'throttle',
  'twice',
] as const;
/** The same, and a batch that is answered as by a receiver that takes none. */
export const activityFaultKinds = [...ingestFaultKinds, 'no_batches'] as const;
/** What can go wrong at the RTC stand-in. */
export const rtcFaultKinds = [
  'http_500',
  'hang',
  'cut_after_remove',
  'internal_error',
  'throttle',
  'refuse',
  'slow',
  'twice',
] as const;

/** One order. */
export interface Fault<Kind extends string> {
  readonly kind: Kind;
  /** Requests that it hits; null: all, until it is cleared. */
  readonly times: number | null;
  /** `error_code`: the vendor's number. */
  readonly code?: number;
  /** `slow`: pause before the answer; `throttle`: pause asked for. Kinds of the wallet: see there. */
  readonly delayMs?: number;
  /** Only requests of this command. */
  readonly command?: string;
  /** Share of the requests that it hits, above 0 and at most 1. Default: all. */
  readonly chance?: number;
  /** So many requests it lets pass first. Default: none. */
  readonly after?: number;
}

interface Order<Kind extends string> {
  readonly fault: Fault<Kind>;
  left: number;
  passing: number;
}

/** Orders that may wait; one more is refused. */
const ordersMax = 100;

/** The waiting orders of one destination, first in first out. */
export class FaultBoard<Kind extends string> {
  /** The kinds that it takes. */
  readonly kinds: readonly Kind[];
  private readonly random: Random;
  private orders: Order<Kind>[] = [];

  constructor(kinds: readonly Kind[], random: Random) {
    this.kinds = kinds;
    this.random = random;
  }

  /** Adds an order; false when too many wait. */
  add(fault: Fault<Kind>): boolean {
    if (this.orders.length >= ordersMax) return false;
    const { times, after: passing = 0 } = fault;
    this.orders.push({ fault, left: times ?? Number.POSITIVE_INFINITY, passing });
    return true;
  }

  /** Forgets all orders. */
  clear(): void {
    this.orders = [];
  }

  /** The fault that hits this request, or null. Given `kinds`, one of these. */
  take(command: string, kinds: readonly Kind[] = this.kinds): Fault<Kind> | null {
    const order = this.orders.find(
      (other) =>
        (other.fault.command ?? command) === command &&
        kinds.includes(other.fault.kind) &&
        this.isHit(other),
    );
    if (order === undefined) return null;
    order.left -= 1;
    if (order.left <= 0) this.orders = this.orders.filter((other) => other !== order);
    return order.fault;
  }

  /** Waiting orders with what is left of each. */
  show(): readonly (Omit<Fault<Kind>, 'times'> & { readonly left: number | null })[] {
    return this.orders.map(({ fault: { times: _, ...rest }, left }) => ({
      ...rest,
      left: Number.isFinite(left) ? left : null,
    }));
  }

  /** Draws only for orders that leave it to chance, so that the others leave no trace in a replay. */
  private isHit(order: Order<Kind>): boolean {
    const { kind, chance = 1 } = order.fault;
    if (order.passing > 0) {
      order.passing -= 1;
      return false;
    }
    return chance >= 1 || this.random.fraction(`fault ${kind}`) < chance;
  }
}

/** Reads an order of the control interface, or answers what is wrong with it. */
export function readFault<Kind extends string>(
  value: unknown,
  kinds: readonly Kind[],
): { readonly ok: true; readonly fault: Fault<Kind> } | { readonly ok: false; fault: string } {
  if (typeof value !== 'object' || value === null) return { ok: false, fault: 'no JSON object' };
  const fields = value as Record<string, unknown>;
  const { kind, times = 1, code, delay_ms: delayMs, command, chance, after } = fields;
  const known = kinds.find((name) => name === kind);
  if (known === undefined) return { ok: false, fault: `kind must be one of ${kinds.join(', ')}` };
  if (times !== null && !isCount(times)) {
    return { ok: false, fault: 'times must be a whole number above 0, or null' };
  }
  if (code !== undefined && !isCount(code)) return { ok: false, fault: 'code must be a number' };
  if (delayMs !== undefined && !isCount(delayMs)) {
    return { ok: false, fault: 'delay_ms must be a number' };
  }
  if (command !== undefined && typeof command !== 'string') {
    return { ok: false, fault: 'command must be a text' };
  }
  if (chance !== undefined && !isShare(chance)) {
    return { ok: false, fault: 'chance must be a number above 0 and at most 1' };
  }
  if (after !== undefined && !isCount(after)) return { ok: false, fault: 'after must be a number' };
  return {
    ok: true,
    fault: {
      kind: known,
      times,
      ...(code === undefined ? {} : { code }),
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(command === undefined ? {} : { command }),
      ...(chance === undefined ? {} : { chance }),
      ...(after === undefined ? {} : { after }),
    },
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 1;
}
