/**
 * Limits and keepalive of every gRPC connection of ours, servers and clients alike. A peer that is
 * frozen or cut off is noticed within time + timeout; without keepalive it would hold its stream,
 * and a stop, for as long as TCP likes (bug case A8).
 */
import type { ChannelOptions } from '@grpc/grpc-js';

/** Requests are small: the largest field is 2 KB. */
export const requestBytesMax = 64 * 1_024;
/** Answers hold a page of 100 list entries or a room view at most. */
export const answerBytesMax = 1_024 * 1_024;

const keepaliveTimeMs = 30_000;
const keepaliveTimeoutMs = 10_000;
/**
 * Connections are renewed now and then, so that calls spread over new gateways. What is open on an old
 * one ends by itself: calls by their deadline, watches when they like, the dead by keepalive.
 */
const connectionAgeMs = 30 * 60_000;
const callsPerConnectionMax = 1_000;
const reconnectFirstMs = 250;
const reconnectLongestMs = 5_000;

/** Options of a server that takes requests up to `receiveBytesMax`, so many at once per connection. */
export function serverOptions(
  receiveBytesMax: number,
  sendBytesMax: number,
  callsMax = callsPerConnectionMax,
): ChannelOptions {
  return {
    'grpc.max_receive_message_length': receiveBytesMax,
    'grpc.max_send_message_length': sendBytesMax,
    'grpc.keepalive_time_ms': keepaliveTimeMs,
    'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
    'grpc.max_connection_age_ms': connectionAgeMs,
    'grpc.max_concurrent_streams': callsMax,
    // Two servers on one port would each get half of the calls, and tests would never notice.
    'grpc.so_reuseport': 0,
  };
}

/** Options of a client whose answers are at most `receiveBytesMax`. */
export function clientOptions(receiveBytesMax: number, sendBytesMax: number): ChannelOptions {
  return {
    'grpc.max_receive_message_length': receiveBytesMax,
    'grpc.max_send_message_length': sendBytesMax,
    'grpc.keepalive_time_ms': keepaliveTimeMs,
    'grpc.keepalive_timeout_ms': keepaliveTimeoutMs,
    // grpc-js would let up to two minutes pass before it tries a server again that was away.
    'grpc.initial_reconnect_backoff_ms': reconnectFirstMs,
    'grpc.max_reconnect_backoff_ms': reconnectLongestMs,
    // Pings only while calls are open: an idle client costs a server nothing.
    'grpc.keepalive_permit_without_calls': 0,
  };
}
