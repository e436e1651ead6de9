/**
 * The server interface of Tencent RTC over HTTP: signs each request and sends it over a kept
 * connection. One instance per app. No key and no signature ever enters an error.
 */
import type { Clock } from '../../ports/clock.ts';
import type { RtcUserRemover } from '../../ports/rtc-user-remover.ts';
import type { JsonObject } from '../json-fields.ts';
import { RestConnections } from '../rest-call.ts';
import { VendorRtcRemover, type RtcAnswer } from '../rtc-vendor/vendor-rtc-remover.ts';
import { tc3Authorization, tc3ContentType } from '../tc3-signature.ts';

/** Account and limits of one app. */
export interface TencentRtcSettings {
  readonly apiUrl: string;
  readonly region: string;
  readonly sdkAppId: number;
  readonly secretId: string;
  readonly secretKey: string;
  /** For one call of the port. */
  readonly callTimeoutMs: number;
}

/** The remover with the end of its connections. */
export interface TencentRtcRemover extends RtcUserRemover {
  stop(): void;
}

const service = 'trtc';
const version = '2019-07-22';

/** Makes a remover. It opens no connection before its first call. */
export function createTencentRtcRemover(
  settings: TencentRtcSettings,
  context: { readonly clock: Clock },
): TencentRtcRemover {
  const connections = new RestConnections(settings.apiUrl);
  const post = (action: string, body: JsonObject): Promise<RtcAnswer> => {
    const text = JSON.stringify(body);
    const headers = headersOf(settings, action, text, context.clock.wallMs());
    return connections.post('/', text, settings.callTimeoutMs, headers);
  };
  return Object.assign(new VendorRtcRemover(settings.sdkAppId, post), {
    stop: () => connections.close(),
  });
}

function headersOf(
  settings: TencentRtcSettings,
  action: string,
  body: string,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { host } = new URL(settings.apiUrl);
  const timestampSeconds = Math.floor(nowMs / 1000);
  return {
    host,
    'content-type': tc3ContentType,
    'x-tc-action': action,
    'x-tc-version': version,
    'x-tc-region': settings.region,
    'x-tc-timestamp': String(timestampSeconds),
    authorization: tc3Authorization(settings, { service, host, action, timestampSeconds, body }),
  };
}
