/**
 * A port as a simulated process has it: calls leave only while the process is awake, and answers come
 * in only then. The port itself is the product's own.
 */
import type { PodGate } from './pod-gate.ts';

type Call = (...given: readonly unknown[]) => unknown;

/**
 * `port` behind the gate. `direct` names the methods that answer at once and not by a promise: they
 * do nothing when the process is dead. All others wait while it is frozen.
 */
export function gatedPort<Port extends object>(
  port: Port,
  gate: PodGate,
  direct: readonly (keyof Port & string)[] = [],
): Port {
  const calls = new Map<string | symbol, unknown>();
  return new Proxy(port, {
    get(target, name): unknown {
      const known = calls.get(name);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const method = (member as Call).bind(target);
      const isDirect = (direct as readonly (string | symbol)[]).includes(name);
      const call = isDirect ? directCall(method, gate) : gatedCall(method, gate);
      calls.set(name, call);
      return call;
    },
  });
}

/**
 * Handlers that the outside calls: when the process is awake, in their order, or never. The order is
 * kept over a thaw too, which lets go in any order what has nothing to do with one another: a client
 * of the log never hands over a batch before the one that comes before it.
 */
export function gatedHandlers<Handlers extends object>(
  handlers: Handlers,
  gate: PodGate,
): Handlers {
  const calls = new Map<string | symbol, unknown>();
  let waiting = 0;
  let before = Promise.resolve();
  return new Proxy(handlers, {
    get(target, name): unknown {
      const known = calls.get(name);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const method = (member as Call).bind(target);
      const call = (...given: readonly unknown[]): unknown => {
        if (gate.state === 'open' && waiting === 0) return method(...given);
        waiting += 1;
        before = before.then(() => gate.awake());
        return before.then(() => {
          waiting -= 1;
          return method(...given);
        });
      };
      calls.set(name, call);
      return call;
    },
  });
}

function directCall(method: Call, gate: PodGate): Call {
  return (...given) => (gate.state === 'dead' ? undefined : method(...given));
}

function gatedCall(method: Call, gate: PodGate): Call {
  return (...given) => {
    if (gate.state === 'open') return gate.through(promised(method, given));
    return gate.awake().then(() => gate.through(promised(method, given)));
  };
}

function promised(method: Call, given: readonly unknown[]): Promise<unknown> {
  const answer = method(...given);
  return answer instanceof Promise ? answer : Promise.resolve(answer);
}
