/**
 * The sandbox's control interface: `GET /sandbox/received?destination=im` shows what arrived,
 * `GET /sandbox/groups` the IM groups, each with whom it has `banned` and until when, `GET /sandbox/rtc` who
 * is in RTC rooms and who was put out, `POST /sandbox/rtc/enter` lets a user enter, `POST /sandbox/faults`
 * orders faults and `GET` shows them. `GET /sandbox/lucky/draws` shows what lucky gifts drew. Pages below `/sandbox/wallet` are the wallet's.
 */
import type { ActivityStandIn } from '../delivery-stand-in/activity-stand-in.ts';
import type { ImStandIn } from '../delivery-stand-in/im-stand-in.ts';
import type { RtcStandIn } from '../delivery-stand-in/rtc-stand-in.ts';
import { readFault } from '../fault-board.ts';
import type { Fault, FaultBoard } from '../fault-board.ts';
import type { KeptDraw, LuckyStandIn } from '../lucky-stand-in/lucky-stand-in.ts';
import { orderWalletFault } from '../wallet-stand-in/wallet-faults.ts';
import type { WalletStandIn } from '../wallet-stand-in/wallet-stand-in.ts';
import { startHttpServer } from './http-json.ts';
import type { HttpServer, JsonAnswer, JsonRequest } from './http-json.ts';
import { jsonObject, textField } from '../json-fields.ts';
import type { JsonObject } from '../json-fields.ts';
import { walletPage } from './wallet-pages.ts';

/** What the interface shows and orders. */
export interface ControlParts {
  readonly im: ImStandIn;
  readonly rtc: RtcStandIn;
  readonly activity: ActivityStandIn;
  readonly wallet: WalletStandIn;
  readonly lucky: LuckyStandIn;
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
      return shown({ destination, ...parts[destination].received.show() });
    }
    case 'GET /sandbox/groups':
      return shown({ groups: parts.im.groups.show() });
    case 'GET /sandbox/rtc':
      return shown(parts.rtc.show());
    case 'POST /sandbox/rtc/enter':
      return enter(parts.rtc, request.text);
    case 'GET /sandbox/lucky/draws':
      return shown({ draws: parts.lucky.draws().map(shownDraw) });
    case 'GET /sandbox/faults':
      return shown({
        im: parts.im.faults.show(),
        rtc: parts.rtc.faults.show(),
        activity: parts.activity.faults.show(),
        wallet: parts.wallet.faults.show(),
        lucky: parts.lucky.faults.show(),
      });
    case 'POST /sandbox/faults':
      return order(parts, request.text);
    default:
      return (
        walletPage(parts.wallet.ledger, request) ?? {
          kind: 'json',
          status: 404,
          body: { error: 'no such page' },
        }
      );
  }
}

/** `{"sdk_app_id":1400000001,"room_id":"r1","user_id":"u1"}`: a client enters. */
function enter(rtc: RtcStandIn, text: string): JsonAnswer {
  const value = jsonObject(text);
  const app = value?.['sdk_app_id'];
  const [roomId, userId] = [textField(value, 'room_id'), textField(value, 'user_id')];
  if (typeof app !== 'number' || roomId === '' || userId === '') {
    return refuse('sdk_app_id, room_id and user_id are needed');
  }
  return rtc.enter(app, roomId, userId) ? shown({ entered: true }) : refuse('too many rooms');
}

/** `{"destination":"im","kind":"http_502","times":3}`, or `{"destination":"im","clear":true}`. */
function order(parts: ControlParts, text: string): JsonAnswer {
  const value = jsonObject(text);
  if (value === null) return refuse('the body is no JSON object');
  if (value['destination'] === 'im') return orderAt(parts.im.faults, value);
  if (value['destination'] === 'rtc') return orderAt(parts.rtc.faults, value);
  if (value['destination'] === 'activity') return orderAt(parts.activity.faults, value);
  if (value['destination'] === 'wallet') {
    return orderAt(parts.wallet.faults, value, orderWalletFault);
  }
  if (value['destination'] === 'lucky') return orderAt(parts.lucky.faults, value);
  return refuse('destination must be im, rtc, activity, wallet or lucky');
}

/** `put` answers what is wrong with an order, or null. */
function orderAt<Kind extends string>(
  board: FaultBoard<Kind>,
  value: JsonObject,
  put: (board: FaultBoard<Kind>, fault: Fault<Kind>) => string | null = putOnBoard,
): JsonAnswer {
  if (value['clear'] === true) {
    board.clear();
    return shown({ faults: [] });
  }
  const read = readFault(value, board.kinds);
  if (!read.ok) return refuse(read.fault);
  const fault = put(board, read.fault);
  return fault === null ? shown({ faults: board.show() }) : refuse(fault);
}

function shownDraw({ gift, key, drawId, targetUserId, prizeCoins, repeats }: KeptDraw): unknown {
  return {
    app_code: gift.appCode,
    sender_user_id: gift.senderUserId,
    target_user_id: targetUserId,
    key,
    draw_id: drawId,
    prize_coins: String(prizeCoins),
    repeats,
  };
}

function putOnBoard<Kind extends string>(
  board: FaultBoard<Kind>,
  fault: Fault<Kind>,
): string | null {
  return board.add(fault) ? null : 'too many orders wait';
}

function shown(body: unknown): JsonAnswer {
  return { kind: 'json', status: 200, body };
}

function refuse(error: string): JsonAnswer {
  return { kind: 'json', status: 400, body: { error } };
}
