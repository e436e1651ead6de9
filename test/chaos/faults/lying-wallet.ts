/**
 * A wallet and a lucky gift service that lie now and then for as long as a run strikes (F43): work that
 * is done and answered with an error or never, answers that come too late, calls that come twice, one
 * coin too many. Shares of their calls, so that every kind happens in a run of any length; how often it
 * did is not judged, the books are.
 */
import { orderFault } from '../../e2e/support/observe.ts';
import type { Fleet } from '../../e2e/support/fleet.ts';

const tooLateMs = 5_000;
const lies = [
  { destination: 'wallet', kind: 'applied_then_unavailable', chance: 0.02 },
  { destination: 'wallet', kind: 'applied_then_internal', chance: 0.02 },
  { destination: 'wallet', kind: 'applied_then_hang', chance: 0.01 },
  { destination: 'wallet', kind: 'slow', delay_ms: tooLateMs, chance: 0.01 },
  { destination: 'wallet', kind: 'late', delay_ms: tooLateMs, chance: 0.01 },
  { destination: 'wallet', kind: 'twice', chance: 0.03 },
  { destination: 'wallet', kind: 'wrong_amount', command: 'debit', chance: 0.01 },
  { destination: 'lucky', kind: 'applied_then_unavailable', chance: 0.05 },
  { destination: 'lucky', kind: 'twice', chance: 0.05 },
] as const;

/** From now on they lie. */
export async function letThemLie(fleet: Fleet): Promise<void> {
  for (const lie of lies) await orderFault(fleet, { ...lie, times: null });
}

/** From now on they tell the truth. */
export async function letThemBeTrue(fleet: Fleet): Promise<void> {
  for (const destination of ['wallet', 'lucky'])
    await orderFault(fleet, { destination, clear: true });
}
