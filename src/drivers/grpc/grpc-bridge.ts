/**
 * The bridge between generated protobuf-es descriptors and grpc-js: one place that knows both. Methods
 * answer once or with a stream; one that takes a stream is refused when the definition is made, not
 * when it is first called.
 */
import type {
  DescMessage,
  DescMethod,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { GenService, GenServiceMethods } from '@bufbuild/protobuf/codegenv2';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { assert, assertDefined } from '../../kernel/assert.ts';

/** A generated service with its methods by local name (`joinRoom`). */
export type AnyGenService = GenService<GenServiceMethods>;

/** What a handler knows of its call beside the request. */
export interface CallContext {
  /** `/roomcell.v1.RoomCommands/JoinRoom`. */
  readonly path: string;
  /** Value of the `authorization` metadata, or ''. */
  readonly authorization: string;
  /** Milliseconds until the caller's deadline; null when it set none. */
  readonly remainingMs: number | null;
  /** Aborts when the caller cancels, its connection ends, or its deadline passes. */
  readonly signal: AbortSignal;
}

/** One method of a service as code: resolves with the answer, throws a Failure otherwise. */
export type UnaryHandler<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageShape<Input>,
  context: CallContext,
) => Promise<MessageInitShape<Output>>;

/** One method that answers with a stream; it ends with a throw like a unary one, or by itself. */
export type StreamHandler<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageShape<Input>,
  context: CallContext,
) => AsyncIterable<MessageInitShape<Output>>;

/** Every method of a service; a method without a handler does not compile. */
export type ServiceHandlers<Service extends { method: GenServiceMethods }> = {
  readonly [Name in keyof Service['method']]: Service['method'][Name] extends {
    methodKind: 'server_streaming';
  }
    ? StreamHandler<Service['method'][Name]['input'], Service['method'][Name]['output']>
    : UnaryHandler<Service['method'][Name]['input'], Service['method'][Name]['output']>;
};

/** Requests and answers cross grpc-js as messages; it sees nothing but these functions. */
export type BridgedMethod = MethodDefinition<unknown, unknown>;

/** A handler whose types were checked where the handlers were written. */
export type BridgedHandler =
  | {
      readonly kind: 'unary';
      readonly run: (request: unknown, context: CallContext) => Promise<unknown>;
    }
  | {
      readonly kind: 'stream';
      readonly run: (request: unknown, context: CallContext) => AsyncIterable<unknown>;
    };

/** A service ready for a server: methods by local name, each with its handler. */
export interface BridgedService {
  readonly typeName: string;
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, BridgedHandler>>;
}

/** Joins a service's descriptor with its handlers. */
export function bridgeService<Service extends AnyGenService>(
  service: Service,
  handlers: ServiceHandlers<Service>,
): BridgedService {
  const byName = handlers as unknown as Readonly<Record<string, AnyHandler>>;
  const bridged: Record<string, BridgedHandler> = {};
  for (const method of methodsOf(service)) {
    const handler = assertDefined(byName[method.localName], `${method.name} has no handler`);
    bridged[method.localName] = bridgedHandler(method, handler);
  }
  return {
    typeName: service.typeName,
    definition: serviceDefinition(service),
    handlers: bridged,
  };
}

type AnyHandler = (
  request: unknown,
  context: CallContext,
) => Promise<unknown> & AsyncIterable<unknown>;

function bridgedHandler({ methodKind, output }: DescMethod, handler: AnyHandler): BridgedHandler {
  const message = (answer: unknown): unknown =>
    create(output, answer as MessageInitShape<DescMessage>);
  if (methodKind === 'unary') {
    const run = async (request: unknown, context: CallContext): Promise<unknown> =>
      message(await handler(request, context));
    return { kind: 'unary', run };
  }
  const run = async function* (request: unknown, context: CallContext) {
    for await (const answer of handler(request, context)) yield message(answer);
  };
  return { kind: 'stream', run };
}

/** The grpc-js definition of a service, for servers and clients alike. */
export function serviceDefinition(service: AnyGenService): ServiceDefinition {
  return Object.fromEntries(
    methodsOf(service).map((method) => [method.localName, methodDefinition(method)]),
  );
}

/** The grpc-js definition of one method. */
export function methodDefinition(method: DescMethod): BridgedMethod {
  const { input, output, methodKind, name } = method;
  const responseStream = methodKind === 'server_streaming';
  assert(responseStream || methodKind === 'unary', 'no method takes a stream', { method: name });
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream,
    requestSerialize: (message) => bytesOf(input, message),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: responseStream
      ? (message) => bytesOnce(output, message)
      : (message) => bytesOf(output, message),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  };
}

/** `Omit` in the generated type hides the list; it is there at run time. */
function methodsOf(service: AnyGenService): readonly DescMethod[] {
  return (service as unknown as DescService).methods;
}

function bytesOf(schema: DescMessage, message: unknown): Buffer {
  const bytes = toBinary(schema, message as MessageShape<DescMessage>);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Of messages that go out on many streams; each lives as long as somebody still has to send it. */
const encoded = new WeakMap<object, Buffer>();

/** A message object that is sent more than once is encoded once. It must not change any more. */
function bytesOnce(schema: DescMessage, message: unknown): Buffer {
  const known = encoded.get(message as object);
  if (known !== undefined) return known;
  const bytes = bytesOf(schema, message);
  encoded.set(message as object, bytes);
  return bytes;
}
