/** Role `sandbox`: stand-ins for the outside world. The configuration keeps it out of production. */
import { createActivityServer } from '../drivers/grpc/activity-grpc-server.ts';
import type { GrpcHost } from '../drivers/grpc/grpc-host.ts';
import { createWalletServer } from '../drivers/grpc/wallet-grpc-server.ts';
import {
  startSandbox,
  type Sandbox,
  type SandboxOptions,
  type StandInServer,
} from '../drivers/sandbox/sandbox-server.ts';
import { listenAddressOf } from './listen-address.ts';
import type { Role } from './role.ts';
import { stagedRole, type RunningStage } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

const stopServerMs = 500;

/** Makes the role. */
export function wireSandbox(process: WiringContext): Role {
  const context = process.forRole('sandbox');
  const { log, timers } = context;
  return stagedRole({
    name: 'sandbox',
    log,
    timers,
    prepare: () => Promise.resolve(runningSandbox(context)),
  });
}

function runningSandbox(context: WiringContext): RunningStage {
  const { log } = context;
  let sandbox: Sandbox | null = null;
  return {
    async start() {
      sandbox = await startSandbox(sandboxOptions(context));
      const listening: readonly (readonly [string, string])[] = [
        ['sandbox-im', new URL(sandbox.imBaseUrl).host],
        ['sandbox-rtc', new URL(sandbox.rtcApiUrl).host],
        ['sandbox-activity', sandbox.activityAddr],
        ['sandbox-wallet', sandbox.walletAddr],
        ['sandbox-control', new URL(sandbox.controlUrl).host],
      ];
      for (const [what, address] of listening) {
        const { host, port } = listenAddressOf(address);
        log.info({ event: 'listening', what, host, port }, 'the sandbox listens');
      }
    },
    drain: () => Promise.resolve(),
    async stop() {
      await sandbox?.stop();
    },
    readiness: () =>
      sandbox === null
        ? { ready: false, reasons: ['not listening'] }
        : { ready: true, reasons: [] },
  };
}

function sandboxOptions(context: WiringContext): SandboxOptions {
  const { config, clock, timers, random, log, metrics } = context;
  const ports = { clock, timers, log, metrics };
  return {
    imListen: listenAddressOf(config.sandbox.imListen),
    rtcListen: listenAddressOf(config.sandbox.rtcListen),
    activityListen: listenAddressOf(config.sandbox.activityListen),
    walletListen: listenAddressOf(config.sandbox.walletListen),
    controlListen: listenAddressOf(config.sandbox.controlListen),
    apps: [...config.tencentIm.apps.values()],
    rtcApps: [...config.rtc.apps].map(([appCode, { apiSecretId, apiSecretKey }]) => ({
      sdkAppId: config.tencentIm.apps.get(appCode)?.sdkAppId ?? 0,
      secretId: apiSecretId,
      secretKey: apiSecretKey,
    })),
    walletOpeningCoins: BigInt(config.sandbox.walletOpeningCoins),
    clock,
    timers,
    random,
    startActivityServer: ({ host, port }, receiver) =>
      started(host, createActivityServer({ host, port, receiver }, ports)),
    startWalletServer: ({ host, port }, wallet, luckyGifts) =>
      started(host, createWalletServer({ host, port, wallet, luckyGifts }, ports)),
  };
}

async function started(host: string, server: GrpcHost): Promise<StandInServer> {
  const port = await server.start();
  return { address: `${host}:${port}`, stop: () => server.stop(stopServerMs) };
}
