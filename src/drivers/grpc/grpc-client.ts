/**
 * A typed unary client over a generated service: used towards the activity service, and by programs
 * that call roomcell itself (sample run, tests). Every call has a deadline, every failure is read
 * into a WireFailure.
 */
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type { GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../ports/clock.ts';
import { answerBytesMax, clientOptions } from './channel-options.ts';
import { readFailure } from './error-details.ts';
import type { WireFailure } from './error-details.ts';
import { methodDefinition } from './grpc-bridge.ts';
import type { AnyGenService } from './grpc-bridge.ts';

/** How one call is made. */
export interface UnaryCallOptions {
  readonly timeoutMs: number;
  /** Bearer token; none: no `authorization` metadata. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** A call that did not succeed. */
export class GrpcCallError extends Error {
  readonly failure: WireFailure;

  constructor(failure: WireFailure, cause: unknown) {
    super(`${failure.status} ${failure.reason} ${failure.message}`, { cause });
    this.name = 'GrpcCallError';
    this.failure = failure;
  }
}

/** Every method of the service; rejects with GrpcCallError. */
export type UnaryCalls<Service extends { method: GenServiceMethods }> = {
  readonly [Name in keyof Service['method']]: (
    request: MessageInitShape<Service['method'][Name]['input']>,
    options: UnaryCallOptions,
  ) => Promise<MessageShape<Service['method'][Name]['output']>>;
};

/** A client with its connection. */
export interface GrpcClient<Service extends { method: GenServiceMethods }> {
  readonly calls: UnaryCalls<Service>;
  /** Closes the connection; calls in flight end as CANCELLED or UNAVAILABLE. */
  close(): void;
}

/** Connects lazily, and again by itself, to `host:port`. */
export function createGrpcClient<Service extends AnyGenService>(
  service: Service,
  address: string,
  clock: Clock,
): GrpcClient<Service> {
  const options = clientOptions(answerBytesMax, answerBytesMax);
  const client = new Client(address, credentials.createInsecure(), options);
  const methods = (service as unknown as DescService).methods;
  const calls = Object.fromEntries(
    methods.map((method) => [method.localName, callOf(client, method, clock)]),
  );
  return { calls: calls as UnaryCalls<Service>, close: () => client.close() };
}

function callOf(client: Client, method: DescMethod, clock: Clock) {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
  return (request: unknown, options: UnaryCallOptions): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      if (options.token !== undefined) metadata.set('authorization', `Bearer ${options.token}`);
      const deadline = clock.wallMs() + options.timeoutMs;
      const message = create(method.input, request as MessageInitShape<DescMessage>);
      const onEnd = (error: ServiceError | null, answer: unknown): void => {
        options.signal?.removeEventListener('abort', cancel);
        if (error === null) resolve(answer);
        else reject(new GrpcCallError(readFailure(error), error));
      };
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        message,
        metadata,
        { deadline },
        onEnd,
      );
      const cancel = (): void => call.cancel();
      if (options.signal?.aborted === true) cancel();
      options.signal?.addEventListener('abort', cancel);
    });
}
