/**
 * The clients of what lies outside of a deployment, and the one costly computation of a gateway.
 * Wiring takes them from its context: whoever runs the roles in a world of its own, as a simulation
 * does, puts clients of that world in their place.
 */
import { createActivityGrpcClient } from '../drivers/grpc/activity-grpc-client.ts';
import { createLuckyGiftGrpcClient } from '../drivers/grpc/lucky-gift-grpc-client.ts';
import { createWalletGrpcClient } from '../drivers/grpc/wallet-grpc-client.ts';
import { createScryptPasswords } from '../drivers/scrypt/scrypt-passwords.ts';
import { createTencentImClient } from '../drivers/tencent-im/tencent-im-client.ts';
import { createTencentRtcRemover } from '../drivers/tencent-rtc/tencent-rtc-remover.ts';
import {
  createTencentRtcTickets,
  type RtcSigningApp,
} from '../drivers/tencent-rtc/tencent-rtc-tickets.ts';
import type { ActivityClient } from '../ports/activity-client.ts';
import type { Clock } from '../ports/clock.ts';
import type { ImClient } from '../ports/im-client.ts';
import type { LuckyGiftClient } from '../ports/lucky-gift-client.ts';
import type { Passwords } from '../ports/passwords.ts';
import type { Random } from '../ports/random.ts';
import type { RtcTickets } from '../ports/rtc-tickets.ts';
import type { RtcUserRemover } from '../ports/rtc-user-remover.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { Codec } from '../protocol/codec-api.ts';
import type { RoomcellConfig } from './config/config-schema.ts';

/** Account and address of one app at the vendor. */
export type ImAppConfig =
  RoomcellConfig['tencentIm']['apps'] extends ReadonlyMap<string, infer App> ? App : never;

/** An IM client with the end of its connections. */
export interface StoppableImClient extends ImClient {
  stop(): void;
}

/** The RTC application of one app, and the account that may act for it. */
export type RtcApiApp = (RoomcellConfig['rtc']['apps'] extends ReadonlyMap<string, infer App>
  ? App
  : never) & { readonly sdkAppId: number };

/** A remover with the end of its connections. */
export interface StoppableRtcRemover extends RtcUserRemover {
  stop(): void;
}

/** Makes clients; whoever asked for one stops it. Nothing connects before the first call. */
export interface OutsideClients {
  /** Of the service at `wallet.addr`, which is set. */
  wallet(): Wallet;
  /** Of the service at `lucky_gift.addr`, which is set. */
  luckyGifts(): LuckyGiftClient;
  /** Of one app; each call of the port ends within `callTimeoutMs`. */
  im(app: ImAppConfig, callTimeoutMs: number): StoppableImClient;
  activity(): ActivityClient;
  passwords(): Passwords;
  /** Of one app that has an account; each call of the port ends within `callTimeoutMs`. */
  rtcRemover(app: RtcApiApp, callTimeoutMs: number): StoppableRtcRemover;
  /** For the apps under `rtc.apps` whose secret key is known to this process. */
  rtcTickets(): RtcTickets;
}

/** The real ones. */
export function createOutsideClients(parts: {
  readonly config: RoomcellConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly codec: Codec;
}): OutsideClients {
  const { config, clock, random, codec } = parts;
  return {
    wallet() {
      const { addr, token } = config.wallet;
      const credentials = token === '' ? {} : { token };
      return createWalletGrpcClient({ address: addr, ...credentials }, { clock });
    },
    luckyGifts() {
      const { addr, token } = config.luckyGift;
      const credentials = token === '' ? {} : { token };
      return createLuckyGiftGrpcClient({ address: addr, ...credentials }, { clock });
    },
    im({ baseUrl, sdkAppId, adminIdentifier, secretKey }, callTimeoutMs) {
      return createTencentImClient(
        { baseUrl, sdkAppId, adminIdentifier, secretKey, callTimeoutMs },
        { clock, random },
      );
    },
    activity: () =>
      createActivityGrpcClient(
        { address: config.activity.addr, timeoutMs: config.outboxWorker.publishTimeoutMs },
        { clock, codec },
      ),
    passwords: () => createScryptPasswords({ secret: config.deploymentSecret }),
    rtcRemover({ apiUrl, region, sdkAppId, apiSecretId, apiSecretKey }, callTimeoutMs) {
      const account = { secretId: apiSecretId, secretKey: apiSecretKey };
      return createTencentRtcRemover(
        { apiUrl, region, sdkAppId, ...account, callTimeoutMs },
        { clock },
      );
    },
    rtcTickets: () => createTencentRtcTickets(rtcSigningApps(config)),
  };
}

/**
 * Clients enter RTC with the SdkAppId that IM uses, and one key signs for both. An app without its key
 * here has no tickets here.
 */
export function rtcSigningApps({
  rtc,
  tencentIm,
}: Pick<RoomcellConfig, 'rtc' | 'tencentIm'>): ReadonlyMap<string, RtcSigningApp> {
  const signing = [...rtc.apps.keys()].flatMap((appCode) => {
    const app = tencentIm.apps.get(appCode);
    return app === undefined || app.secretKey === '' ? [] : [[appCode, app] as const];
  });
  return new Map(signing);
}
