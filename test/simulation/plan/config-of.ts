/** The configuration of a run's processes, read and judged by the product's own reader. */
import { configTree, type RoomcellConfig } from '../../../src/main/config/config-schema.ts';
import { readTree, type Reading } from '../../../src/main/config/read-tree.ts';
import { brokenRelations } from '../../../src/main/config/relations.ts';
import { roleNames } from '../../../src/main/role.ts';
import type { SimOptions } from './sim-options.ts';

/** Apps of a run, as far as it has so many. */
export const appCodes = ['app1', 'app2'] as const;
/** Gifts on sale in every app; one of them is a lucky one. */
export const giftIds = ['rose', 'boat', 'clover'] as const;
const giftPrices: Readonly<Record<string, string>> = {
  rose: '10',
  boat: '200',
  clover: '20/lucky',
};

/** They may not stand in a file. */
const secrets = {
  ROOMCELL_DEPLOYMENT_SECRET: 'a secret of simulated runs, 32 bytes and more',
  ROOMCELL_TENCENT_IM_APPS_APP1_SECRET_KEY: 'a key of simulated runs',
  ROOMCELL_TENCENT_IM_APPS_APP2_SECRET_KEY: 'a key of simulated runs',
  ROOMCELL_RTC_APPS_APP1_API_SECRET_ID: 'an account',
  ROOMCELL_RTC_APPS_APP1_API_SECRET_KEY: 'a key of simulated runs',
  ROOMCELL_RTC_APPS_APP2_API_SECRET_ID: 'an account',
  ROOMCELL_RTC_APPS_APP2_API_SECRET_KEY: 'a key of simulated runs',
};

/** Throws with every fault when the options make none. */
export function configOf(options: SimOptions): RoomcellConfig {
  const reading: Reading = {
    environment: secrets,
    faults: [],
    faultyKeys: new Set(),
    variables: new Map(),
    origins: new Map(),
  };
  const config = readTree(configTree, valuesOf(options), [], reading) as unknown as RoomcellConfig;
  const roles = roleNames.filter((name) => name !== 'sandbox');
  const around = { roles, localAddresses: null };
  const faults = [...reading.faults, ...brokenRelations(config, reading.faultyKeys, around)];
  if (faults.length > 0) throw new Error(`the options make no configuration: ${faults.join('; ')}`);
  return config;
}

function valuesOf(options: SimOptions): unknown {
  const { sessionTimeoutMs, leaseTtlMs, runSize, apps } = options;
  const publishTimeoutMs = 800;
  const ms = (count: number): string => `${count}ms`;
  return {
    environment: 'development',
    drivers: 'embedded',
    advertise_addr: '127.0.0.1:7500',
    drain_timeout: '6s',
    kafka: {
      commands_partitions: options.partitions,
      // One more than there are readers: whoever starts anew often gets the place of one that died.
      reply_partitions: options.gateways + 1,
      event_partitions: 2,
      session_timeout: ms(sessionTimeoutMs),
      heartbeat_interval: ms(Math.floor(sessionTimeoutMs / 4)),
      rebalance_timeout: ms(sessionTimeoutMs + 1_000),
    },
    auth: { mode: 'off' },
    gateway: { reply_slot_ttl: '4s' },
    lease_ttl: ms(leaseTtlMs),
    snapshot_every_n: options.snapshotEveryN,
    mic_publish_timeout: ms(options.micPublishTimeoutMs),
    ...rulesOf(options),
    display: displayOf(options),
    list_cache: {
      enabled: options.listCopy ?? false,
      copy_interval: '300ms',
      look_interval: '2s',
      pass_interval: '10s',
    },
    leaderboard: { enabled: options.boards ?? false, copy_interval: '300ms' },
    robots: robotsConfigOf(options),
    catalogue_at_start: appCodes.slice(0, apps).flatMap((appCode) => {
      return giftIds.map((giftId) => `${appCode}/${giftId}=${giftPrices[giftId]}`);
    }),
    // Low targets and short countdowns: a run is over within a minute or two.
    rocket_at_start: appCodes.slice(0, apps).map((appCode) => {
      return `${appCode}/day/carry=50:3000:badge,120:8000:frame`;
    }),
    cell: {
      batch_commands_max: options.batchCommandsMax,
      resident_rooms_max: options.residentRoomsMax,
      offset_flush: '5s',
      deadline_poll: '1s',
      charges_per_room_max: 4,
      charges_max: 16,
    },
    outbox_worker: {
      poll_interval: '1s',
      run_size: runSize,
      publish_timeout: ms(publishTimeoutMs),
      claim_lock: ms(2 * runSize * publishTimeoutMs + 1_000),
      max_retry_count: options.maxRetryCount,
      initial_backoff: '200ms',
      max_backoff: '4s',
      on_failed: onFailedOf(options),
    },
    retention: retentionOf(options),
    tencent_im: {
      apps: Object.fromEntries(
        appCodes.slice(0, apps).map((appCode, at) => [
          appCode,
          {
            sdk_app_id: 1_400_000_001 + at,
            base_url: 'http://127.0.0.1:7410',
            ban_members: true,
          },
        ]),
      ),
    },
    rtc: { apps: Object.fromEntries(appCodes.slice(0, apps).map((appCode) => [appCode, {}])) },
    activity: { addr: '127.0.0.1:7411' },
    lucky_gift: { addr: '127.0.0.1:7413', timeout: '500ms' },
    wallet: { addr: '127.0.0.1:7413', timeout: ms(Math.min(1_000, Math.floor(leaseTtlMs / 3))) },
  };
}

function onFailedOf({ blocking = [] }: SimOptions): object {
  return Object.fromEntries(blocking.map((destination) => [destination, 'block']));
}

function robotsConfigOf({ robots }: SimOptions): object {
  if (robots === undefined) return {};
  const { giftsCount, walletAccount } = robots;
  return {
    enabled: true,
    scan_interval: '500ms',
    gifts_count: giftsCount,
    wallet_account: walletAccount,
  };
}

function displayOf({ lanes }: SimOptions): object {
  if (lanes === undefined) return {};
  return { by_display_lane: lanes.byDisplayLane, large_room_users: lanes.largeRoomUsers };
}

/** Small pages, so that a pass takes many. */
function retentionOf({ retentionKeepMs }: SimOptions): object {
  if (retentionKeepMs === undefined) return { enabled: false };
  const keep = `${retentionKeepMs}ms`;
  return { enabled: true, keep, pass_interval: '2s', page_pause: '20ms', page_rows: 7 };
}

function rulesOf({ rules }: SimOptions): object {
  if (rules === undefined) return {};
  return {
    presence_stale_after: `${rules.presenceStaleAfterMs}ms`,
    mic_heartbeat_stale_after: `${rules.micHeartbeatStaleAfterMs}ms`,
    mic_request_timeout: `${rules.micRequestTimeoutMs}ms`,
    close_grace: `${rules.closeGraceMs}ms`,
    mic: { auto_confirm_on_heartbeat: rules.autoConfirmOnHeartbeat ?? false },
    password_attempts: rules.passwordAttempts,
    password_attempt_window: `${rules.passwordAttemptWindowMs}ms`,
  };
}
