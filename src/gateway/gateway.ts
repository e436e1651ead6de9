/**
 * The gateway stage as a whole: puts its parts together, owns their life (start, drain, stop) and is
 * the RoomApi that transports call. It holds no state of any room.
 */
import type { CommandSink } from '../ports/command-sink.ts';
import type { GiftCatalogue } from '../ports/gift-catalogue.ts';
import type { OperatorApi } from '../ports/operator-api.ts';
import type { OperatorStore } from '../ports/operator-store.ts';
import type { PartitionStore } from '../ports/partition-store.ts';
import type { NodeRegistry } from '../ports/node-registry.ts';
import type { PartitionStops } from '../ports/partition-stops.ts';
import type { CallFrame, RequestMeta, RoomApi } from '../ports/room-api.ts';
import type { OwnerReadsPeers } from '../ports/owner-reads.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import type { RocketRulesStore } from '../ports/rocket-rules-store.ts';
import type { RoomGiftLeaderboard } from '../ports/room-gift-leaderboard.ts';
import type { RoomListCache } from '../ports/room-list-cache.ts';
import type { RoomReadApi } from '../ports/room-read-api.ts';
import type { RoomQueries } from '../ports/room-queries.ts';
import type { RoomReader } from '../ports/room-reader.ts';
import type { RtcEvents } from '../ports/rtc-events.ts';
import type { RtcTickets } from '../ports/rtc-tickets.ts';
import { createApplyRtcEvent } from './apply-rtc-event.ts';
import { authorizeActor } from './authorize.ts';
import { createCachedList } from './cached-list.ts';
import { createCallGate, type CallGate } from './call-gate.ts';
import { allowedMs, untilAborted } from './call-time.ts';
import { createExchange } from './exchange.ts';
import type { ExchangePorts } from './exchange.ts';
import { createExecuteCommand } from './execute-command.ts';
import type { CommandPorts } from './execute-command.ts';
import { createGetCommand } from './get-command.ts';
import { createGetLeaderboard } from './get-leaderboard.ts';
import { createGetRoomSnapshot } from './get-room-snapshot.ts';
import { createHeartbeatFolder } from './heartbeat-folder.ts';
import type { GatewayLimits } from './limits.ts';
import { createListRooms } from './list-rooms.ts';
import { parseHeartbeat } from './parse-command.ts';
import type { ActPorts } from './operators/carry-out.ts';
import { createOperators } from './operators/operators.ts';
import { createOwnerQueries } from './owner-queries.ts';
import { createReplySlotKeeper } from './reply-slot-keeper.ts';
import type { ReplySlotKeeper, ReplySlotPorts } from './reply-slot-keeper.ts';
import { createRoomWindow } from './room-window.ts';
import { createStoredQueries } from './stored-queries.ts';
import { createWatchRoom } from './watch-room.ts';

/** What the deployment decides. */
export interface GatewaySettings {
  readonly nodeId: string;
  /** Of the layout stored in MySQL, never of Kafka's metadata. */
  readonly partitionCount: number;
  readonly replySlotCount: number;
  readonly replySlotTtlMs: number;
  readonly limits: GatewayLimits;
  /** The app whose operators have the whole deployment; '': no app's. */
  readonly deploymentApp: string;
}

/** Everything the gateway reaches for. */
export interface GatewayPorts extends CommandPorts, ExchangePorts, ReplySlotPorts {
  readonly commandSink: CommandSink;
  readonly roomReader: RoomReader;
  readonly roomQueries: RoomQueries;
  /** Null: lists come from MySQL alone. */
  readonly roomListCache: Pick<RoomListCache, 'page'> | null;
  /** Null: this deployment keeps no boards. */
  readonly roomGiftLeaderboard: Pick<RoomGiftLeaderboard, 'page'> | null;
  readonly operatorStore: OperatorStore;
  readonly replayStore: ReplayStore;
  readonly giftCatalogue: Pick<GiftCatalogue, 'list' | 'setBy'>;
  readonly rocketRules: Pick<RocketRulesStore, 'current' | 'setBy'>;
  /** Told which rooms an operator pinned or unpinned. */
  readonly listChanged?: NonNullable<ActPorts['listChanged']>;
  readonly partitionStore: Pick<PartitionStore, 'readOwner' | 'readOwners'>;
  readonly partitionStops: Pick<PartitionStops, 'read'>;
  readonly nodeRegistry: Pick<NodeRegistry, 'living'>;
  /** The reads of cells, for questions that only a room's owner may answer. */
  readonly peers: OwnerReadsPeers;
  readonly rtcTickets: RtcTickets;
}

/** Whether calls may be sent here, and if not, every reason why. */
export interface Readiness {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** See the file header. Calls made before `start` resolved are refused. */
export interface Gateway extends RoomApi, RtcEvents, RoomReadApi, OperatorApi {
  /**
   * Registers schemas, connects the sink, leases a reply slot and reads it. Throws when one of them
   * fails (no slot free, a service away); what was started is stopped then.
   */
  start(): Promise<void>;
  /** From now on every new call is refused DRAINING. Resolves when none is in flight. */
  drain(): Promise<void>;
  /**
   * Drains without waiting, ends calls still in flight as unknown, frees the slot, closes the sink
   * and the connections to cells.
   * Idempotent.
   */
  stop(): Promise<void>;
  readiness(): Readiness;
}

/** Puts the stage together. Nothing runs before `start`. */
export function createGateway(settings: GatewaySettings, ports: GatewayPorts): Gateway {
  const { limits, partitionCount } = settings;
  const gate = createCallGate();
  const keeper = createReplySlotKeeper(
    {
      nodeId: settings.nodeId,
      slotCount: settings.replySlotCount,
      slotTtlMs: settings.replySlotTtlMs,
      callsMax: limits.pendingCallsMax,
    },
    ports,
  );
  const exchange = createExchange(ports, () => keeper.current());
  const folder = createHeartbeatFolder(ports, { exchange, limits, partitionCount });
  const execute = createExecuteCommand(ports, {
    exchange,
    window: createRoomWindow(limits.roomWindow),
    limits,
    partitionCount,
  });
  const getCommand = createGetCommand(ports, { limits, partitionCount });
  const getRoomSnapshot = createGetRoomSnapshot(ports, limits);
  const applyRtcEvent = createApplyRtcEvent(ports, partitionCount);
  const listRooms = createListRooms(createCachedList(ports));
  const reads: GatedReads = {
    ...createOwnerQueries(ports, { limits, partitionCount, cached: getRoomSnapshot }),
    ...createStoredQueries(ports.roomQueries),
    getLeaderboard: createGetLeaderboard(ports),
  };

  const beat = (
    frame: CallFrame,
    meta: RequestMeta,
    mic: { readonly micSessionId: string; readonly publishing: boolean } | null,
  ): Promise<number> =>
    gate.run(() => {
      const heartbeat = parseHeartbeat(authorizeActor(frame, meta), meta, mic);
      return untilAborted(folder.beat(heartbeat, allowedMs(frame, limits)), frame.signal);
    });

  const life = createLife(ports, keeper, gate, () => folder.flush());
  return {
    ...life,
    execute: (frame, meta, request) => gate.run(() => execute(frame, meta, request)),
    heartbeat: async (frame, meta) => {
      await beat(frame, meta, null);
    },
    micHeartbeat: async (frame, meta, session) => ({
      micHeartbeatAtMs: await beat(frame, meta, session),
    }),
    applyRtcEvent: (event) => gate.run(() => applyRtcEvent(event)),
    getCommand: (frame, key) => gate.run(() => getCommand(frame, key)),
    getRoomSnapshot: (frame, key) => gate.run(() => getRoomSnapshot(frame, key)),
    listRooms: (frame, query) => gate.run(() => listRooms(frame, query)),
    ...gatedReads(reads, gate),
    watchRoom: createWatchRoom(ports, { limits, partitionCount, gate }),
    ...createOperators(ports, {
      ...{ gate, exchange, limits, partitionCount },
      deploymentApp: settings.deploymentApp,
    }),
  };
}

/** A watch is none: a drain ends it and does not wait for it. */
type GatedReads = Omit<RoomReadApi, 'watchRoom'>;

/** Reads are calls like all others: counted while they run, refused before the start and in a drain. */
function gatedReads(reads: GatedReads, gate: CallGate): GatedReads {
  return {
    readRoom: (frame, place) => gate.run(() => reads.readRoom(frame, place)),
    guardUser: (frame, place) => gate.run(() => reads.guardUser(frame, place)),
    issueRtcTicket: (frame, place) => gate.run(() => reads.issueRtcTicket(frame, place)),
    listAudience: (frame, page) => gate.run(() => reads.listAudience(frame, page)),
    listBans: (frame, page) => gate.run(() => reads.listBans(frame, page)),
    listMicRequests: (frame, place) => gate.run(() => reads.listMicRequests(frame, place)),
    getGiftRank: (frame, place) => gate.run(() => reads.getGiftRank(frame, place)),
    batchGetRooms: (frame, query) => gate.run(() => reads.batchGetRooms(frame, query)),
    listRoomsByOwner: (frame, query) => gate.run(() => reads.listRoomsByOwner(frame, query)),
    getLeaderboard: (frame, query) => gate.run(() => reads.getLeaderboard(frame, query)),
    getUserRooms: (frame, query) => gate.run(() => reads.getUserRooms(frame, query)),
  };
}

/** Start, drain and stop in their order, and what readiness says in between. */
function createLife(
  ports: GatewayPorts,
  keeper: ReplySlotKeeper,
  gate: ReturnType<typeof createCallGate>,
  flushHeartbeats: () => void,
): Pick<Gateway, 'start' | 'drain' | 'stop' | 'readiness'> {
  let stopped: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    await keeper.stop();
    await ports.commandSink.stop();
    await ports.peers.stop();
  };
  return {
    async start() {
      try {
        await ports.schemaRegistry.register(ports.codec.writerSchemas);
        await ports.commandSink.start();
        await keeper.start();
      } catch (cause) {
        // The first fault is the one to tell; closing what never ran may fail for the same reason.
        await closeAll().catch((error: unknown) => {
          ports.log.warn({ cause: error }, 'closing after a failed start failed');
        });
        throw cause;
      }
      gate.open();
    },
    drain() {
      const idle = gate.drain();
      // Gathered heartbeats go out now: they are calls in flight like all others.
      flushHeartbeats();
      return idle;
    },
    stop() {
      void gate.drain();
      // Nothing may gather on: a heartbeat's timer would outlive the stage.
      flushHeartbeats();
      stopped ??= closeAll();
      return stopped;
    },
    readiness() {
      const reasons: string[] = [];
      if (gate.state !== 'open') reasons.push(gate.state);
      if (keeper.current() === null) reasons.push('no reply slot held');
      if (!ports.commandSink.isHealthy()) reasons.push('the commands topic is out of reach');
      return { ready: reasons.length === 0, reasons };
    },
  };
}
