/** Faults that somebody ordered: each hits the next requests, a number of times, and is gone. */

/** What can go wrong at the IM stand-in. */
export const imFaultKinds = ['http_502', 'hang', 'cut_after_store', 'error_code', 'drop'] as const;
/** What can go wrong at the activity stand-in. */
export const activityFaultKinds = ['unavailable', 'applied_then_cut', 'slow', 'refuse'] as const;

/** One order. */
export interface Fault<Kind extends string> {
  readonly kind: Kind;
  /** Requests that it hits; null: all, until it is cleared. */
  readonly times: number | null;
  /** `error_code`: the vendor's number. */
  readonly code?: number;
  /** `slow`: pause before the answer. */
  readonly delayMs?: number;
  /** Only requests of this command (IM). */
  readonly command?: string;
}

/** Orders that may wait; one more is refused. */
const ordersMax = 100;

/** The waiting orders of one destination, first in first out. */
export class FaultBoard<Kind extends string> {
  /** The kinds that it takes. */
  readonly kinds: readonly Kind[];
  private orders: { readonly fault: Fault<Kind>; left: number }[] = [];

  constructor(kinds: readonly Kind[]) {
    this.kinds = kinds;
  }

  /** Adds an order; false when too many wait. */
  add(fault: Fault<Kind>): boolean {
    if (this.orders.length >= ordersMax) return false;
    this.orders.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
    return true;
  }

  /** Forgets all orders. */
  clear(): void {
    this.orders = [];
  }

  /** The fault that hits this request, or null. */
  take(command: string): Fault<Kind> | null {
    const order = this.orders.find(({ fault }) => (fault.command ?? command) === command);
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
}

/** Reads an order of the control interface, or answers what is wrong with it. */
export function readFault<Kind extends string>(
  value: unknown,
  kinds: readonly Kind[],
): { readonly ok: true; readonly fault: Fault<Kind> } | { readonly ok: false; fault: string } {
  if (typeof value !== 'object' || value === null) return { ok: false, fault: 'no JSON object' };
  const { kind, times = 1, code, delay_ms: delayMs, command } = value as Record<string, unknown>;
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
  return {
    ok: true,
    fault: {
      kind: known,
      times,
      ...(code === undefined ? {} : { code }),
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(command === undefined ? {} : { command }),
    },
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
