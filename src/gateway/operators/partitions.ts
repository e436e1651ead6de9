/**
 * What operators of the whole deployment see of its partitions, what they say about those that
 * stand still, and which node they take out. Rooms of every app are in a partition, so an app's own
 * operators have no say here.
 */
import type { Clock } from '../../ports/clock.ts';
import type { CommandSink } from '../../ports/command-sink.ts';
import type { OperatorApi, OperatorMeta, PartitionView } from '../../ports/operator-api.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import type { LivingNode, NodeRegistry } from '../../ports/node-registry.ts';
import type { OwnerRow, PartitionStore } from '../../ports/partition-store.ts';
import {
  stopChoices,
  stopUnder,
  type PartitionStops,
  type PartitionStopState,
  type StopChoice,
  type StoppedPartition,
} from '../../ports/partition-stops.ts';
import { wideIdFault } from '../../domain/ids.ts';
import { Failure } from '../../kernel/failure.ts';
import type { CallFrame } from '../../ports/room-api.ts';
import { refusal } from '../refusals.ts';
import { actFaults, actHead, carryOut } from './carry-out.ts';
import { authorizeOperator } from './authorize-operator.ts';

/** What partitions are looked at with. */
export interface PartitionPorts {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly operatorStore: Pick<OperatorStore, 'carryOut'>;
  readonly partitionStore: Pick<PartitionStore, 'readOwners'>;
  readonly partitionStops: Pick<PartitionStops, 'read'>;
  readonly nodeRegistry: Pick<NodeRegistry, 'living'>;
  readonly commandSink: Pick<CommandSink, 'endOffset'>;
}

/** `deploymentApp`: the app whose operators have the whole deployment; '': no app's. */
export function createPartitionActs(
  ports: PartitionPorts,
  parts: { readonly partitionCount: number; readonly deploymentApp: string },
): Pick<OperatorApi, 'listPartitions' | 'acceptState' | 'drainNode'> {
  const authorize = (frame: CallFrame, meta: Pick<OperatorMeta, 'appCode' | 'actorUserId'>) =>
    authorizeDeployment(frame, meta, parts.deploymentApp);
  return {
    async listPartitions(frame, { appCode }) {
      authorize(frame, { appCode, actorUserId: '' });
      const ids = Array.from({ length: parts.partitionCount }, (_, id) => id);
      const [owners, stops, nodes, ends] = await Promise.all([
        ports.partitionStore.readOwners(),
        ports.partitionStops.read(),
        ports.nodeRegistry.living(),
        Promise.all(ids.map((id) => endOrNull(ports.commandSink, id))),
      ]);
      return ids.map((id) =>
        viewOf(id, {
          owner: owners.find(({ partition }) => partition === id),
          stops,
          nodes,
          endOffset: ends[id] ?? null,
        }),
      );
    },
    async acceptState(frame, request) {
      const operatorId = authorize(frame, request);
      const { partition, expectedOffset } = request;
      const { state, choice, replayUntil } = checkedWord(request, operatorId, parts);
      await carryOut(ports, {
        ...actHead(request, operatorId),
        type: 'AcceptState',
        ...{ partition, state, expectedOffset, choice, replayUntil },
      });
    },
    async drainNode(frame, request) {
      const operatorId = authorize(frame, request);
      const { nodeId } = request;
      const faults = actFaults(request, operatorId);
      faults.add('node_id', wideIdFault(nodeId));
      faults.throwIfAny();
      await carryOut(ports, { ...actHead(request, operatorId), type: 'DrainNode', nodeId });
    },
  };
}

/**
 * The operator's id, still unchecked text. Throws UNAUTHENTICATED or PERMISSION_DENIED; where no
 * tokens are asked for, everybody has the deployment.
 */
export function authorizeDeployment(
  frame: CallFrame,
  meta: Pick<OperatorMeta, 'appCode' | 'actorUserId'>,
  deploymentApp: string,
): string {
  const operatorId = authorizeOperator(frame, meta);
  const isNamed = frame.caller !== null && frame.caller.subject !== '';
  if (isNamed && (deploymentApp === '' || meta.appCode !== deploymentApp)) {
    throw refusal('PERMISSION_DENIED', { fault: 'no_operator_of_the_deployment' });
  }
  return operatorId;
}

/** Throws INVALID_FIELD for a word that means nothing. */
function checkedWord(
  request: Parameters<OperatorApi['acceptState']>[1],
  operatorId: string,
  { partitionCount }: { readonly partitionCount: number },
): {
  readonly state: PartitionStopState;
  readonly choice: StopChoice;
  readonly replayUntil: bigint;
} {
  const { partition, expectedOffset, replayUntil } = request;
  const faults = actFaults(request, operatorId);
  const isOurs = Number.isInteger(partition) && partition >= 0 && partition < partitionCount;
  faults.add('partition', isOurs ? null : 'unknown');
  const state = Object.hasOwn(stopChoices, request.state)
    ? (request.state as PartitionStopState)
    : null;
  faults.add('state', state === null ? 'unknown' : null);
  const choices: readonly string[] = state === null ? [request.choice] : stopChoices[state];
  const choice = request.choice as StopChoice;
  faults.add('choice', choices.includes(choice) ? null : 'not_for_this_state');
  faults.add('expected_offset', expectedOffset >= 0n ? null : 'too_small');
  const isBelow = choice === 'replay' && replayUntil < expectedOffset;
  faults.add('replay_until', isBelow ? 'below_expected_offset' : null);
  faults.throwIfAny();
  return {
    state: state ?? 'GAP',
    choice,
    replayUntil: choice === 'replay' ? replayUntil : -1n,
  };
}

/** Null while the brokers do not say: the rest of the table is worth having in an outage. */
async function endOrNull(
  commandSink: Pick<CommandSink, 'endOffset'>,
  partition: number,
): Promise<bigint | null> {
  try {
    return await commandSink.endOffset(partition);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'retry') return null;
    throw error;
  }
}

function viewOf(
  partition: number,
  found: {
    readonly owner: OwnerRow | undefined;
    readonly stops: readonly StoppedPartition[];
    readonly nodes: readonly LivingNode[];
    readonly endOffset: bigint | null;
  },
): PartitionView {
  const { owner, nodes, endOffset } = found;
  const node = nodes.find(({ incarnation }) => incarnation === owner?.incarnation);
  const stop = owner === undefined ? null : stopUnder(found.stops, owner);
  const appliedOffset = owner?.appliedOffset ?? -1n;
  return {
    partition,
    state: stop?.state ?? stateOf(owner),
    epoch: owner?.epoch ?? 0n,
    ownerNodeId: owner?.ownerNodeId ?? '',
    advertiseAddr: owner?.advertiseAddr ?? '',
    appliedOffset,
    lag: endOffset === null ? null : maxOf(endOffset - appliedOffset - 1n, 0n),
    queue: node === undefined ? null : (node.queues.get(partition) ?? 0),
    lastProgressAtMs: owner?.updatedAtMs ?? 0,
    stop,
  };
}

function stateOf(owner: OwnerRow | undefined): 'UNOWNED' | 'RELEASED' | 'OWNED' {
  if (owner === undefined || owner.ownerNodeId === '') return 'UNOWNED';
  return owner.released ? 'RELEASED' : 'OWNED';
}

function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
