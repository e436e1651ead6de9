/**
 * The bare limit of the transport: a process that answers RoomHeartbeat at once. The server is
 * roomcell's own; what is missing is everything that makes it a heartbeat: token, fold, topic, room.
 */
import { RoomCommands } from '../../src/drivers/grpc/generated/roomcell/v1/room_commands_pb.ts';
import { createGrpcHost } from '../../src/drivers/grpc/grpc-host.ts';
import { bridgeService, type BridgedService } from '../../src/drivers/grpc/grpc-bridge.ts';
import { benchServers } from '../bench-servers.ts';

const stopLimitMs = 1_000;

const nothing = (): Promise<object> => Promise.resolve({});
// Every method of the service answers with nothing; only heartbeats are ever asked for.
const handlers = new Proxy({}, { get: () => nothing }) as Parameters<
  typeof bridgeService<typeof RoomCommands>
>[1];
const service: BridgedService = bridgeService(RoomCommands, handlers);

const host = createGrpcHost(
  { host: '127.0.0.1', port: Number(process.argv[2]), services: [service] },
  benchServers(process.env).deps,
);
await host.start();
host.setServing(true);
console.log('ready');
process.stdin.resume();
process.stdin.once('end', () => void host.stop(stopLimitMs));
