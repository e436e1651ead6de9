/**
 * A gRPC client that freezes in the middle of a stream: it watches the health of the gateway at
 * argv[2] and stops itself at the first answer, with its connection open.
 */
import { Client, credentials, Metadata } from '@grpc/grpc-js';

const address = process.argv[2] ?? '';
const client = new Client(address, credentials.createInsecure());
const raw = (bytes: Buffer): Buffer => bytes;
const path = '/grpc.health.v1.Health/Watch';
// An empty request asks about the server as a whole.
const watch = client.makeServerStreamRequest(path, raw, raw, Buffer.alloc(0), new Metadata());
watch.on('data', () => process.kill(process.pid, 'SIGSTOP'));
watch.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
