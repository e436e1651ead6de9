/** What must hold of each app's entries, and between them. */
import type { RoleName } from '../role.ts';
import type { Circumstances } from './circumstances.ts';
import type { RoomcellConfig } from './config-schema.ts';
import { variableOf } from './field-tree.ts';

/** Begins every secret that docker-compose.yml falls back to: anybody can read it there. */
export const knownSecretPrefix = 'development-only-';
export const knownSecretFault =
  'begins with development-only-, so everybody knows it; production needs its own';

const rtcRoles: readonly RoleName[] = ['gateway', 'cell', 'adapter-im'];

/**
 * Whoever deals with RTC must know which RTC application is an app's, and a gateway that takes
 * callbacks each app's key.
 */
function rtcFaults(
  { rtc, tencentIm }: RoomcellConfig,
  faultyKeys: ReadonlySet<string>,
  roles: Circumstances['roles'],
): string[] {
  if (!roles.some((role) => rtcRoles.includes(role))) return [];
  const takesCallbacks = roles.includes('gateway') && rtc.callbackListen !== '';
  const faults: string[] = [];
  for (const [appCode, { callbackKey, apiSecretId, apiSecretKey }] of rtc.apps) {
    const key = `rtc.apps.${appCode}`;
    if (!tencentIm.apps.has(appCode)) {
      faults.push(`${key}: has no SdkAppId; name the app in tencent_im.apps too`);
    }
    if (takesCallbacks && callbackKey === '' && !faultyKeys.has(`${key}.callback_key`)) {
      const variable = variableOf(['rtc', 'apps', appCode, 'callback_key']);
      faults.push(`${key}.callback_key: is missing; set ${variable} or ${variable}_FILE`);
    }
    const half = apiSecretId === '' ? 'api_secret_id' : 'api_secret_key';
    const isFaulty = ['api_secret_id', 'api_secret_key'].some((name) =>
      faultyKeys.has(`${key}.${name}`),
    );
    if (!isFaulty && (apiSecretId === '') !== (apiSecretKey === '')) {
      faults.push(`${key}.${half}: is missing, though the other half of the account is set`);
    }
  }
  return faults;
}

/** Decision 17: an RTC room is named by its room id alone, so two apps must not share one id. */
export function appFaults(
  config: RoomcellConfig,
  faultyKeys: ReadonlySet<string>,
  { roles }: Circumstances,
): string[] {
  const faults: string[] = [];
  const holders = new Map<number, string>();
  for (const [appCode, app] of config.tencentIm.apps) {
    const key = `tencent_im.apps.${appCode}`;
    const other = holders.get(app.sdkAppId);
    if (!faultyKeys.has(`${key}.sdk_app_id`)) {
      if (other === undefined) holders.set(app.sdkAppId, appCode);
      else faults.push(`${key}.sdk_app_id: is ${app.sdkAppId}, which app ${other} has already`);
    }
    if (faultyKeys.has(`${key}.secret_key`)) continue;
    if (config.environment === 'production' && app.secretKey.startsWith(knownSecretPrefix)) {
      faults.push(`${key}.secret_key: ${knownSecretFault}`);
    }
    if (roles.includes('adapter-im') && app.secretKey === '') {
      const variable = variableOf(['tencent_im', 'apps', appCode, 'secret_key']);
      faults.push(`${key}.secret_key: is missing; set ${variable} or ${variable}_FILE`);
    }
  }
  faults.push(...rtcFaults(config, faultyKeys, roles));
  if (roles.includes('adapter-im') && config.tencentIm.apps.size === 0) {
    if (!faultyKeys.has('tencent_im.apps')) {
      faults.push('tencent_im.apps: names no app, so adapter-im would have nobody to send for');
    }
  }
  return faults;
}
