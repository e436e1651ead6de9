/**
 * Who takes users out of RTC rooms, one remover per app that has an account for it. The others go
 * without (NEW-11): their rows end as delivered, and the log says so once.
 */
import type { AppCode } from '../domain/ids.ts';
import type { RtcUserRemover } from '../ports/rtc-user-remover.ts';
import type { Resources } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** Connects with the first call; `resources` let the connections go. */
export function rtcRemovers(
  { config, outside, log }: WiringContext,
  callTimeoutMs: number,
  resources: Resources,
): ReadonlyMap<AppCode, RtcUserRemover> {
  const removers = new Map<AppCode, RtcUserRemover>();
  for (const [appCode, app] of config.rtc.apps) {
    const sdkAppId = config.tencentIm.apps.get(appCode)?.sdkAppId;
    if (app.apiSecretId === '' || sdkAppId === undefined) {
      log.warn(
        { appCode },
        'no rtc api_secret_id of the app is set here: nobody is put out of RTC',
      );
      continue;
    }
    const remover = outside.rtcRemover({ ...app, sdkAppId }, callTimeoutMs);
    removers.set(appCode as AppCode, remover);
    resources.add(`RTC connections of ${appCode}`, () => {
      remover.stop();
      return Promise.resolve();
    });
  }
  return removers;
}
