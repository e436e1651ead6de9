/**
 * A typed client over a generated service: used towards the activity service, between nodes, and by
 * programs that call roomcell itself (sample run, tests). Every unary call has a deadline, every
 * failure is read into a WireFailure.
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
import { messagesOf } from './grpc-stream.ts';

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

type Methods = { method: GenServiceMethods };
type NamesOf<Service extends Methods, Kind extends string> = {
  [Name in keyof Service['method']]: Service['method'][Name] extends { methodKind: Kind }
    ? Name
    : never;
}[keyof Service['method']];

/** Every unary method of the service; rejects with GrpcCallError. */
export type UnaryCalls<Service extends Methods> = {
  readonly [Name in NamesOf<Service, 'unary'>]: (
    request: MessageInitShape<Service['method'][Name]['input']>,
    options: UnaryCallOptions,
  ) => Promise<MessageShape<Service['method'][Name]['output']>>;
};

/** How a stream is asked for. Without a time it lasts as long as both sides like. */
export type StreamCallOptions = Omit<UnaryCallOptions, 'timeoutMs'> &
  Partial<Pick<UnaryCallOptions, 'timeoutMs'>>;

/** Every method that answers with a stream; leaving the loop cancels it. Throws GrpcCallError. */
export type StreamCalls<Service extends Methods> = {
  readonly [Name in NamesOf<Service, 'server_streaming'>]: (
    request: MessageInitShape<Service['method'][Name]['input']>,
    options: StreamCallOptions,
  ) => AsyncIterable<MessageShape<Service['method'][Name]['output']>>;
};

/** A client with its connection. */
export interface GrpcClient<Service extends { method: GenServiceMethods }> {
  readonly calls: UnaryCalls<Service>;
  readonly streams: StreamCalls<Service>;
  /** Closes the connection; calls in flight end as CANCELLED or UNAVAILABLE. */
  close(): void;
}

/**
 * Connects lazily, and again by itself, to `host:port`. grpc-js lets all clients of one address in one
 * process share a connection, unless a client wants its own.
 */
export function createGrpcClient<Service extends AnyGenService>(
  service: Service,
  address: string,
  clock: Clock,
  { ownConnection = false }: { readonly ownConnection?: boolean } = {},
): GrpcClient<Service> {
  const options = {
    ...clientOptions(answerBytesMax, answerBytesMax),
    ...(ownConnection ? { 'grpc.use_local_subchannel_pool': 1 } : {}),
  };
  const client = new Client(address, credentials.createInsecure(), options);
  const methods = (service as unknown as DescService).methods;
  const ofKind = <Call>(kind: string, call: (method: DescMethod) => Call): Record<string, Call> =>
    Object.fromEntries(
      methods
        .filter(({ methodKind }) => methodKind === kind)
        .map((method) => [method.localName, call(method)]),
    );
  return {
    calls: ofKind('unary', (method) =>
      callOf(client, method, clock),
    ) as unknown as UnaryCalls<Service>,
    streams: ofKind('server_streaming', (method) =>
      streamOf(client, method, clock),
    ) as unknown as StreamCalls<Service>,
    close: () => client.close(),
  };
}

function callOf(client: Client, method: DescMethod, clock: Clock) {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
  return (request: unknown, options: UnaryCallOptions): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const deadline = clock.wallMs() + options.timeoutMs;
      const onEnd = (error: ServiceError | null, answer: unknown): void => {
        options.signal?.removeEventListener('abort', cancel);
        if (error === null) resolve(answer);
        else reject(new GrpcCallError(readFailure(error), error));
      };
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        messageOf(method, request),
        metadataOf(options),
        { deadline },
        onEnd,
      );
      const cancel = (): void => call.cancel();
      if (options.signal?.aborted === true) cancel();
      options.signal?.addEventListener('abort', cancel);
    });
}

function streamOf(client: Client, method: DescMethod, clock: Clock) {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
  return async function* (request: unknown, options: StreamCallOptions): AsyncGenerator<unknown> {
    const { timeoutMs, signal } = options;
    const call = client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      messageOf(method, request),
      metadataOf(options),
      timeoutMs === undefined ? {} : { deadline: clock.wallMs() + timeoutMs },
    );
    try {
      yield* messagesOf(call, signal);
    } catch (error) {
      throw new GrpcCallError(readFailure(error as ServiceError), error);
    }
  };
}

function messageOf({ input }: DescMethod, request: unknown): unknown {
  return create(input, request as MessageInitShape<DescMessage>);
}

function metadataOf({ token }: Pick<UnaryCallOptions, 'token'>): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}
