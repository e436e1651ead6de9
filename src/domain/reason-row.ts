/** What one row of the catalogue of reasons says; the rows are in `reasons.ts`. */

/** gRPC status names used by the catalogue. */
export type GrpcStatusName =
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'UNAUTHENTICATED';

/** One row of the catalogue. */
export interface ReasonRow {
  readonly status: GrpcStatusName;
  readonly memory: 'sticky' | 'free' | 'none';
  /** The sentence for the caller; facts stand beside it as metadata. */
  readonly sentence: string;
  /** What the caller should do. */
  readonly advice: string;
}
