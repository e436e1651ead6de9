/**
 * Named places where a crash, a freeze or a delay hurts most (reliability 7.6). In production a
 * point is a counter; a test wires an implementation that kills or stops the process there.
 */

/** All points, so that a test cannot aim at one that does not exist. */
export const tracePoints = [
  'cell.record_read',
  'cell.record_begun',
  'cell.before_commit_packet',
  'cell.packet_answered_before_commit',
  'cell.after_commit_before_reply',
  'cell.after_reply_before_kafka_commit',
  'cell.takeover_done',
  'cell.snapshot_before_write',
  'cell.before_debit',
  'cell.after_debit_before_commit',
  'cell.before_draw',
  'cell.after_draw_before_prize',
  'cell.after_prizes_before_commit',
  'cell.after_void_before_mark',
  'cell.after_prize_before_mark',
  'relay.after_claim',
  'relay.after_publish',
  'adapter.after_start',
  'adapter.after_send_before_finish',
  'gateway.before_produce',
  'gateway.after_produce',
] as const;

/** Name of a place in the code. */
export type TracePoint = (typeof tracePoints)[number];

/** Called when the code passes the point. Returns normally, or never. */
export interface Trace {
  /** `about` says for what it passes it, where one of many is meant: `<partition>:<offset>`. */
  at(point: TracePoint, about?: string): void;
}
