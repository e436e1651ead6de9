/**
 * Tencent Cloud IM over its REST interface: signs each command, sends it, and signs anew when the
 * signature was refused. One instance per app (SDKAppID). Neither key nor signature ever enters an
 * error.
 */
import { unknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ImClient } from '../../ports/im-client.ts';
import type { Random } from '../../ports/random.ts';
import { imActionOf } from '../im-vendor/error-table.ts';
import { imCodeOf, VendorImClient } from '../im-vendor/vendor-im-client.ts';
import type { ImAnswer, ImBody } from '../im-vendor/vendor-im-client.ts';
import { AdminUserSig } from './admin-user-sig.ts';
import { RestConnections } from '../rest-call.ts';

/** Account and limits of one app. */
export interface TencentImSettings {
  readonly baseUrl: string;
  readonly sdkAppId: number;
  /** An admin account of the app. */
  readonly adminIdentifier: string;
  readonly secretKey: string;
  /** For one call of the port, however many requests it takes. */
  readonly callTimeoutMs: number;
}

/** The client with the end of its connections. */
export interface TencentImClient extends ImClient {
  stop(): void;
}

/** Makes a client. It opens no connection before its first call. */
export function createTencentImClient(
  settings: TencentImSettings,
  context: { readonly clock: Clock; readonly random: Random },
): TencentImClient {
  const requests = new SignedRequests(settings, context);
  return new RestImClient(requests, context.clock, settings.callTimeoutMs);
}

class RestImClient extends VendorImClient implements TencentImClient {
  private readonly requests: SignedRequests;

  constructor(requests: SignedRequests, clock: Clock, callTimeoutMs: number) {
    super((command, body, limitMs) => requests.post(command, body, limitMs), clock, callTimeoutMs);
    this.requests = requests;
  }

  stop(): void {
    this.requests.close();
  }
}

/** Commands as signed POST requests. */
class SignedRequests {
  private readonly settings: TencentImSettings;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly connections: RestConnections;
  private readonly userSig: AdminUserSig;

  constructor(
    settings: TencentImSettings,
    context: { readonly clock: Clock; readonly random: Random },
  ) {
    const { sdkAppId, adminIdentifier: identifier, secretKey } = settings;
    this.settings = settings;
    this.clock = context.clock;
    this.random = context.random;
    this.connections = new RestConnections(settings.baseUrl);
    this.userSig = new AdminUserSig({ sdkAppId, identifier, secretKey }, context.clock);
  }

  /** A refused signature is made anew and tried once more. */
  async post(command: string, body: ImBody, limitMs: number): Promise<ImAnswer> {
    const untilMs = this.clock.monoMs() + limitMs;
    const first = await this.request(command, body, limitMs);
    if (first.kind !== 'answer' || imActionOf(imCodeOf(first.body)) !== 'sign') return first;
    this.userSig.drop();
    return this.request(command, body, untilMs - this.clock.monoMs());
  }

  /** Ends open connections; calls in flight end as `unknown`. */
  close(): void {
    this.connections.close();
  }

  private request(command: string, body: ImBody, limitMs: number): Promise<ImAnswer> {
    if (limitMs <= 0) return Promise.resolve(unknownOutcome('no time left'));
    const { sdkAppId, adminIdentifier } = this.settings;
    const query = new URLSearchParams({
      sdkappid: String(sdkAppId),
      identifier: adminIdentifier,
      usersig: this.userSig.get(),
      random: String(Number.parseInt(this.random.hex(4, 'im request'), 16)),
      contenttype: 'json',
    });
    const path = `/v4/group_open_http_svc/${command}?${query.toString()}`;
    return this.connections.post(path, JSON.stringify(body), limitMs);
  }
}
