/**
 * A client that watches the room argv[4] at the gateway argv[2] with the token argv[3], and freezes at
 * the first message when argv[5] is `freeze`. It says `watching` when that has come.
 */
import { createGrpcClient } from '../../../src/drivers/grpc/grpc-client.ts';
import { RoomQueries } from '../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { createSystemClock } from '../../../src/drivers/system/system-clock.ts';
import { fleetApp } from '../support/fleet-app.ts';

const [address = '', token = '', roomId = '', how = ''] = process.argv.slice(2);
const { streams } = createGrpcClient(RoomQueries, address, createSystemClock());
let heard = 0;
for await (const _ of streams.watchRoom({ appCode: fleetApp, roomId }, { token })) {
  heard += 1;
  if (heard === 1) console.log('watching');
  if (how === 'freeze') process.kill(process.pid, 'SIGSTOP');
}
