/**
 * The sandbox's control interface: `GET /sandbox/received?destination=im` shows what arrived,
 * `GET /sandbox/groups` the IM groups, `POST /sandbox/faults` orders faults and `GET` shows them.
 */
import { readFault } from './fault-board.ts';
import type { activityFaultKinds, FaultBoard, imFaultKinds } from './fault-board.ts';
import { startHttpServer } from './http-json.ts';
import type { HttpServer, JsonAnswer, JsonRequest } from './http-json.ts';
import type { ImGroups } from './im-groups.ts';
import { jsonObject } from './json-fields.ts';
import type { JsonObject } from './json-fields.ts';
import type { ReceivedEvents } from './received-events.ts';

/** What the interface shows and orders. */
export interface ControlParts {
  readonly received: Readonly<Record<'im' | 'activity', ReceivedEvents>>;
  readonly imFaults: FaultBoard<(typeof imFaultKinds)[number]>;
  readonly activityFaults: FaultBoard<(typeof activityFaultKinds)[number]>;
  readonly groups: ImGroups;
}

/** Starts the interface. */
export function startControlServer(
  address: { readonly host: string; readonly port: number },
  parts: ControlParts,
): Promise<HttpServer> {
  return startHttpServer(address, (request) => route(parts, request));
}

function route(parts: ControlParts, request: JsonRequest): JsonAnswer {
  switch (`${request.method} ${request.url.pathname}`) {
    case 'GET /sandbox/received': {
      const destination = request.url.searchParams.get('destination');
      if (destination !== 'im' && destination !== 'activity') {
        return refuse('destination must be im or activity');
      }
      return shown({ destination, ...parts.received[destination].show() });
    }
    case 'GET /sandbox/groups':
      return shown({ groups: parts.groups.show() });
    case 'GET /sandbox/faults':
      return shown({ im: parts.imFaults.show(), activity: parts.activityFaults.show() });
    case 'POST /sandbox/faults':
      return order(parts, request.text);
    default:
      return { kind: 'json', status: 404, body: { error: 'no such page' } };
  }
}

/** `{"destination":"im","kind":"http_502","times":3}`, or `{"destination":"im","clear":true}`. */
function order(parts: ControlParts, text: string): JsonAnswer {
  const value = jsonObject(text);
  if (value === null) return refuse('the body is no JSON object');
  if (value['destination'] === 'im') return orderAt(parts.imFaults, value);
  if (value['destination'] === 'activity') return orderAt(parts.activityFaults, value);
  return refuse('destination must be im or activity');
}

function orderAt<Kind extends string>(board: FaultBoard<Kind>, value: JsonObject): JsonAnswer {
  if (value['clear'] === true) {
    board.clear();
    return shown({ faults: [] });
  }
  const read = readFault(value, board.kinds);
  if (!read.ok) return refuse(read.fault);
  return board.add(read.fault) ? shown({ faults: board.show() }) : refuse('too many orders wait');
}

function shown(body: unknown): JsonAnswer {
  return { kind: 'json', status: 200, body };
}

function refuse(error: string): JsonAnswer {
  return { kind: 'json', status: 400, body: { error } };
}
