/**
 * The bridge between generated protobuf-es descriptors and grpc-js: one place that knows both. Only
 * unary methods exist so far; a streaming one is refused when the definition is made, not when it is
 * first called.
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
export interface UnaryCallContext {
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
  context: UnaryCallContext,
) => Promise<MessageInitShape<Output>>;

/** Every method of a service; a method without a handler does not compile. */
export type UnaryHandlers<Service extends { method: GenServiceMethods }> = {
  readonly [Name in keyof Service['method']]: UnaryHandler<
    Service['method'][Name]['input'],
    Service['method'][Name]['output']
  >;
};

/** Requests and answers cross grpc-js as messages; it sees nothing but these functions. */
export type BridgedMethod = MethodDefinition<unknown, unknown>;

/** A handler whose types were checked where the handlers were written. */
export type BridgedHandler = (request: unknown, context: UnaryCallContext) => Promise<unknown>;

/** A service ready for a server: methods by local name, each with its handler. */
export interface BridgedService {
  readonly typeName: string;
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, BridgedHandler>>;
}

/** Joins a service's descriptor with its handlers. */
export function bridgeService<Service extends AnyGenService>(
  service: Service,
  handlers: UnaryHandlers<Service>,
): BridgedService {
  const byName = handlers as Readonly<Record<string, BridgedHandler>>;
  const bridged: Record<string, BridgedHandler> = {};
  for (const method of methodsOf(service)) {
    const handler = assertDefined(byName[method.localName], `${method.name} has no handler`);
    bridged[method.localName] = async (request, context) =>
      create(method.output, (await handler(request, context)) as MessageInitShape<DescMessage>);
  }
  return {
    typeName: service.typeName,
    definition: serviceDefinition(service),
    handlers: bridged,
  };
}

/** The grpc-js definition of a service, for servers and clients alike. */
export function serviceDefinition(service: AnyGenService): ServiceDefinition {
  return Object.fromEntries(
    methodsOf(service).map((method) => [method.localName, methodDefinition(method)]),
  );
}

/** The grpc-js definition of one unary method. */
export function methodDefinition(method: DescMethod): BridgedMethod {
  assert(method.methodKind === 'unary', 'only unary methods are bridged', { method: method.name });
  const { input, output } = method;
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message) => bytesOf(input, message),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: (message) => bytesOf(output, message),
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
