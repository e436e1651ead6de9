/**
 * While a simulated run is on, the real clock, timers and chance throw: what goes around its ports is
 * found by the first event that does so. The kernel's own `setImmediate` stays.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

type Table = Record<string, unknown>;

const cryptoNames = ['randomUUID', 'randomBytes', 'randomInt', 'randomFillSync'] as const;
const timerNames = ['setTimeout', 'setInterval'] as const;

/** Takes the real world away; answers how to give it back. */
export function banRealWorld(): () => void {
  const undo: (() => void)[] = [];
  const replace = (table: object, name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(table, name);
    Object.defineProperty(table, name, { configurable: true, writable: true, value });
    undo.push(() => {
      if (before === undefined) delete (table as Table)[name];
      else Object.defineProperty(table, name, before);
    });
  };
  replace(globalThis, 'Date', datesWithoutNow());
  replace(performance, 'now', refusal('performance.now'));
  replace(Math, 'random', refusal('Math.random'));
  replace(process, 'hrtime', refusal('process.hrtime'));
  for (const name of timerNames) replace(globalThis, name, refusal(name));
  for (const name of cryptoNames) replace(crypto, name, refusal(`crypto.${name}`));
  // Named imports of the module follow its object only when told.
  syncBuiltinESMExports();
  return () => {
    for (const giveBack of undo.reverse()) giveBack();
    syncBuiltinESMExports();
  };
}

function refusal(name: string): () => never {
  return () => {
    throw new Error(`${name} was used in a simulated run: it goes around the ports`);
  };
}

/** Dates that are made from a number are plain values; those that ask for the time are refused. */
function datesWithoutNow(): DateConstructor {
  const RealDate = Date;
  const now = refusal('Date.now');
  return new Proxy(RealDate, {
    construct(target, given: unknown[]) {
      if (given.length === 0) now();
      return Reflect.construct(target, given) as Date;
    },
    get: (target, name, receiver): unknown =>
      name === 'now' ? now : Reflect.get(target, name, receiver),
  });
}
