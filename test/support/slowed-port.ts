/** A port whose calls take time: the clock is moved on before the call is made. */
import type { SteppedTime } from './stepped-time.ts';

/** By the names of methods, what each costs. All other methods cost nothing. */
export function slowedBy(time: SteppedTime, costsMs: Readonly<Record<string, number>>) {
  return <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          time.advance(costsMs[String(name)] ?? 0);
          return Reflect.apply(value, target, given);
        };
      },
    });
}
