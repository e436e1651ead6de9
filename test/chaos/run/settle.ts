/**
 * The end of a run: nothing is asked any more, and what was begun comes to its end. Then the processes
 * stop in good order, so that what is read afterwards stands still.
 */
import { commandOffsets } from '../../e2e/support/observe.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Load } from '../clients/load.ts';
import type { FaultGround } from '../faults/fault-ground.ts';
import type { DatabaseView } from '../record/database-view.ts';

/** For every caller to have its answer, and then for everything that follows from it. */
const limitMs = 120_000;
const unfinished =
  "SELECT COUNT(*) AS n FROM room_outbox WHERE status NOT IN ('delivered', 'failed')";
const owed = "SELECT COUNT(*) AS n FROM wallet_settlement WHERE status <> 'settled'";

/** Rejects with what did not come to its end (INV-16, INV-31). */
export async function settle(ground: FaultGround, view: DatabaseView, load: Load): Promise<void> {
  await load.stop(limitMs);
  await allApplied(ground);
  await none(view, owed, 'a debit is owed back');
  await none(view, unfinished, 'an outbox row is not at its end');
  await stopInOrder(ground);
  // The last words of the cells may have made some more.
  await none(view, unfinished, 'an outbox row is not at its end');
}

async function allApplied({ deployment, watch }: FaultGround): Promise<void> {
  const ends = await commandOffsets(deployment.fleet);
  let behind: unknown = null;
  await waitUntil(
    'every command is settled',
    async () => {
      const open = ends.filter(({ partition, end }) => {
        return (watch.owners.get(partition)?.appliedOffset ?? -1n) < end - 1n;
      });
      behind = open.map(({ partition, end }) => {
        return `${partition}: ${watch.owners.get(partition)?.appliedOffset} of ${end - 1n}`;
      });
      return open.length === 0;
    },
    { limitMs, everyMs: 100, seen: () => behind },
  );
}

async function none(view: DatabaseView, count: string, what: string): Promise<void> {
  let seen = 0;
  await waitUntil(
    `no more: ${what}`,
    async () => {
      seen = await view.count(count);
      return seen === 0;
    },
    { limitMs, everyMs: 200, seen: () => seen },
  );
}

/** Gateways first: then cells have nothing new to do. */
async function stopInOrder({ deployment, history, watch, found }: FaultGround): Promise<void> {
  for (const role of ['gateway', 'cell'] as const) {
    const pods = deployment.podsOf(role);
    const incarnations = pods.map(({ name }) => watch.incarnationOf(name));
    const ends = await Promise.all(pods.map((pod) => pod.process.terminate()));
    ends.forEach(({ code, signal }, at) => {
      const name = pods[at]?.name ?? '';
      history.pod(name, incarnations[at] ?? '', 'ended');
      if (code !== 0) found(`${name} ended with ${signal ?? code} at the end of the run`);
    });
  }
}
