/**
 * A client that watches the room argv[5] of the app argv[4] at the gateway argv[2] with the token argv[3],
 * and freezes at the first message when argv[6] is `freeze`. It says `watching` when that has come.
 */
import { createGrpcClient } from '../../../src/drivers/grpc/grpc-client.ts';
import { RoomQueries } from '../../../src/drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import { createSystemClock } from '../../../src/drivers/system/system-clock.ts';

const [address = '', token = '', appCode = '', roomId = '', how = ''] = process.argv.slice(2);
const { streams } = createGrpcClient(RoomQueries, address, createSystemClock());
let heard = 0;
for await (const _ of streams.watchRoom({ appCode, roomId }, { token })) {
  heard += 1;
  if (heard === 1) console.log('watching');
  if (how === 'freeze') process.kill(process.pid, 'SIGSTOP');
}
