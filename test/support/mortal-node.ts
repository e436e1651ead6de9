/** Nodes of the cell rig that end in the middle of what they do, as a process does that is killed. */
import { createCodec } from '../../src/protocol/codec.ts';
import type { Codec } from '../../src/protocol/codec-api.ts';
import type { CellOptions } from '../../src/cell/cell-options.ts';
import type { TracePoint } from '../../src/ports/trace.ts';
import type { CellRig, RigNode } from './cell-rig.ts';

/** What stands in a node's way: calls of the codec, and trace points, in which it may call `die`. */
export type Deadly = (
  codec: Codec,
  die: () => void,
) => Partial<Codec> & { readonly onTrace?: (point: TracePoint) => void };

/** A node that is dead from the moment on in which `isDead` answers true. */
export interface MortalNode extends RigNode {
  readonly isDead: () => boolean;
}

/**
 * Starts a node that ends where `deadly` says. From then on nothing of it reaches any store or
 * caller, and nothing that it asked for is answered.
 */
export async function startMortal(
  rig: CellRig,
  nodeId: string,
  deadly: Deadly,
  options: Partial<CellOptions> = {},
): Promise<MortalNode> {
  let dead = false;
  const codec = createCodec();
  const gate = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]): unknown =>
          dead ? new Promise(() => undefined) : Reflect.apply(value, target, values);
      },
    });
  const { onTrace, ...calls } = deadly(codec, () => void (dead = true));
  const all = Array.from({ length: rig.partitionCount }, (_, id) => id);
  const node = await rig.startNode(nodeId, {
    assign: [],
    options,
    gate,
    codec: { ...codec, ...calls },
    ...(onTrace === undefined ? {} : { onTrace }),
  });
  node.source.assign(all);
  return { ...node, isDead: () => dead };
}
