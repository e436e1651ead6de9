/** What Tencent RTC is answered (RTC-4): over a real socket, with a gateway that does what it is told. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRtcCallbackServer } from '../../../../src/drivers/http/rtc-callback-server.ts';
import type { RtcCallbackServer } from '../../../../src/drivers/http/rtc-callback-server.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import type { RtcEventEnd, RtcUserEvent } from '../../../../src/ports/rtc-events.ts';
import { quietLog as silentLog } from '../../../../src/main/commands/quiet-ports.ts';

const callbackKey = 'key of app1 only';
const apps = new Map([
  ['app1', { callbackKey, sdkAppId: 1_400_000_001 }],
  ['app2', { callbackKey: 'key of app2 only', sdkAppId: 1_400_000_002 }],
]);
const started = {
  EventGroupId: 2,
  EventType: 203,
  EventInfo: { RoomId: 'r1', EventMsTs: 1_700_000_000_123, UserId: 'u1' },
};

let server: RtcCallbackServer;
let url = '';
let taken: RtcUserEvent[];
let end: () => Promise<RtcEventEnd>;

beforeEach(async () => {
  taken = [];
  end = () => Promise.resolve('taken');
  const events = {
    applyRtcEvent: (event: RtcUserEvent) => {
      taken.push(event);
      return end();
    },
  };
  server = createRtcCallbackServer({ host: '127.0.0.1', port: 0 }, apps, events, silentLog);
  url = `http://${await server.start()}/rtc/callback`;
});

afterEach(() => server.stop());

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly key?: string;
  readonly sdkAppId?: string;
}

async function send(sent: Sent = {}): Promise<{ status: number; body: unknown }> {
  const { path = '/app1', method = 'POST', key = callbackKey, sdkAppId = '1400000001' } = sent;
  const body = sent.body ?? JSON.stringify(started);
  const sign = createHmac('sha256', key).update(body).digest('base64');
  const response = await fetch(url + path, {
    method,
    headers: { sign, sdkappid: sdkAppId, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body } : {}),
  });
  return { status: response.status, body: await response.json() };
}

describe('a callback with a good signature', () => {
  it('is answered 200 and code 0 once its command is taken (RTC-4, EXT-3)', async () => {
    expect(await send()).toEqual({ status: 200, body: { code: 0 } });
    expect(taken).toEqual([
      {
        appCode: 'app1',
        sdkAppId: 1_400_000_001,
        kind: 'audio_started',
        roomId: 'r1',
        userId: 'u1',
        eventTimeMs: 1_700_000_000_123,
      },
    ]);
  });

  it('is answered 503 when it is not certain to be taken, so that it comes again', async () => {
    end = () => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'away'));
    expect(await send()).toEqual({ status: 503, body: { code: 1, reason: 'UNAVAILABLE' } });
  });

  it('is answered 503 on a fault of ours, without a word about it', async () => {
    end = () => Promise.reject(new Error('a secret of ours'));
    expect(await send()).toEqual({ status: 503, body: { code: 1, reason: 'INTERNAL' } });
  });

  it('is answered 200 when it is of a kind that changes nothing, and goes nowhere (RTC-4)', async () => {
    const body = JSON.stringify({ ...started, EventType: 103 });
    expect(await send({ body })).toEqual({ status: 200, body: { code: 0 } });
    expect(taken).toEqual([]);
  });

  it('is answered 400 when it is no callback', async () => {
    expect(await send({ body: '{}' })).toMatchObject({ status: 400 });
  });
});

describe('what nobody of ours sent', () => {
  it.each([
    ['the key of another app', { key: 'key of app2 only' }, 401],
    ['the id of another RTC application', { sdkAppId: '1400000002' }, 401],
    ['an app that has no key here', { path: '/app3' }, 404],
    ['no app at all', { path: '' }, 404],
    ['a path behind the app', { path: '/app1/more' }, 404],
    ['another method', { method: 'GET' }, 405],
  ])('with %s is refused and goes nowhere (RTC-4)', async (_, sent: Sent, status) => {
    expect(await send(sent)).toMatchObject({ status, body: { code: 1 } });
    expect(taken).toEqual([]);
  });

  it('with more than 64 KB is refused 413, and with 64 KB is not', async () => {
    const filled = (bytes: number): string => {
      const empty = JSON.stringify({ ...started, Filling: '' });
      return JSON.stringify({ ...started, Filling: 'x'.repeat(bytes - empty.length) });
    };
    expect(await send({ body: filled(65_537) })).toMatchObject({ status: 413 });
    expect(taken).toEqual([]);
    expect(await send({ body: filled(65_536) })).toMatchObject({ status: 200 });
  });
});
