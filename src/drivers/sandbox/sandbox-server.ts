/**
 * The outside world on one machine: stand-ins for Tencent Cloud IM, the activity service, the
 * wallet and the lucky gift service, and a control interface. For development and tests; production refuses the role.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Timers } from '../../ports/timers.ts';
import { ActivityStandIn } from '../delivery-stand-in/activity-stand-in.ts';
import { ImStandIn } from '../delivery-stand-in/im-stand-in.ts';
import { RtcStandIn } from '../delivery-stand-in/rtc-stand-in.ts';
import { LuckyStandIn } from '../lucky-stand-in/lucky-stand-in.ts';
import { startControlServer } from './control-server.ts';
import { WalletStandIn } from '../wallet-stand-in/wallet-stand-in.ts';
import type { HttpServer } from './http-json.ts';
import { startImSandbox } from './im-sandbox.ts';
import type { SandboxImApp } from './im-sandbox.ts';
import { startRtcSandbox } from './rtc-sandbox.ts';
import type { SandboxRtcApp } from './rtc-sandbox.ts';

/** Where something listens; port 0 takes any free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A transport for a stand-in that is called over gRPC. */
export interface StandInServer {
  /** `host:port` with the port that was really taken. */
  readonly address: string;
  stop(): Promise<void>;
}

/** What `startSandbox` needs. */
export interface SandboxOptions {
  readonly imListen: ListenAddress;
  readonly rtcListen: ListenAddress;
  readonly activityListen: ListenAddress;
  readonly walletListen: ListenAddress;
  readonly controlListen: ListenAddress;
  readonly apps: readonly SandboxImApp[];
  readonly rtcApps: readonly SandboxRtcApp[];
  /** Given when clients in this process deliver to them as well; the record is one. Else new ones. */
  readonly im?: ImStandIn;
  readonly activity?: ActivityStandIn;
  /** Coins of everybody whom the wallet sees for the first time. */
  readonly walletOpeningCoins: bigint;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /**
   * Serves the activity service over gRPC. Given from outside, because drivers do not import each
   * other; the composition passes the activity server of the gRPC driver.
   */
  readonly startActivityServer: (
    listen: ListenAddress,
    activity: ActivityStandIn,
  ) => Promise<StandInServer>;
  /** Serves the wallet and the lucky gift service over gRPC; given from outside for the same reason. */
  readonly startWalletServer: (
    listen: ListenAddress,
    wallet: WalletStandIn,
    luckyGifts: LuckyStandIn,
  ) => Promise<StandInServer>;
}

/** The running sandbox. */
export interface Sandbox {
  readonly imBaseUrl: string;
  readonly rtcApiUrl: string;
  readonly activityAddr: string;
  readonly walletAddr: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/** Starts everything, or nothing: when one part cannot start, those before it are stopped. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { clock, timers, random } = options;
  const im = options.im ?? new ImStandIn({ clock, timers, random });
  const activity = options.activity ?? new ActivityStandIn({ timers, random });
  const openingCoins = options.walletOpeningCoins;
  const wallet = new WalletStandIn({ clock, timers, random, openingCoins });
  const lucky = new LuckyStandIn({ timers, random });
  const running: (HttpServer | StandInServer)[] = [];
  const stop = async (): Promise<void> => {
    wallet.stop();
    lucky.stop();
    await Promise.all(running.splice(0).map((part) => part.stop()));
  };
  try {
    const imServer = await startImSandbox(options.imListen, {
      apps: options.apps,
      standIn: im,
      nowMs: () => clock.wallMs(),
    });
    running.push(imServer);
    const rtc = new RtcStandIn({ clock, timers, random });
    const rtcServer = await startRtcSandbox(options.rtcListen, {
      apps: options.rtcApps,
      standIn: rtc,
      nowMs: () => clock.wallMs(),
    });
    running.push(rtcServer);
    const activityServer = await options.startActivityServer(options.activityListen, activity);
    running.push(activityServer);
    const walletServer = await options.startWalletServer(options.walletListen, wallet, lucky);
    running.push(walletServer);
    const parts = { im, rtc, activity, wallet, lucky };
    const control = await startControlServer(options.controlListen, parts);
    running.push(control);
    return {
      imBaseUrl: imServer.url,
      rtcApiUrl: rtcServer.url,
      activityAddr: activityServer.address,
      walletAddr: walletServer.address,
      controlUrl: control.url,
      stop,
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}
