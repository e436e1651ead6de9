/** Who is in the audio of which room: clients enter behind their join, and the product puts them out. */
import type { RoomcellConfig } from '../../../src/main/config/config-schema.ts';
import type { World } from './world.ts';

/** From the answer to a join until its client is heard in the room. */
const enterMs = 5;

/** The users inside one room's audio. */
export interface RtcRoom {
  readonly appCode: string;
  readonly roomId: string;
  readonly users: readonly string[];
}

/** From now on whoever was let into a room enters its audio, too. */
export function enterBehindJoins(world: World): void {
  const { kernel, servers, config } = world;
  const timers = kernel.timersOf('rtc');
  world.watch((seen) => {
    if (seen.kind !== 'answered' || seen.end.kind !== 'ok' || seen.end.replayed) return;
    const { ask } = seen.call;
    if (ask.kind !== 'command' || ask.request.type !== 'JoinRoom') return;
    const { appCode, roomId, actorUserId: userId } = ask.meta;
    timers.after(enterMs, () => {
      servers.rtc.enter(config.tencentIm.apps.get(appCode)?.sdkAppId ?? 0, roomId, userId);
      world.observe({ kind: 'rtcEntered', atMs: kernel.trueMs, appCode, roomId, userId });
    });
  });
}

/** Everybody who is inside now. */
export function rtcRoomsOf({ servers, config }: Pick<World, 'servers' | 'config'>): RtcRoom[] {
  return servers.rtc.show().rooms.map(({ sdk_app_id: id, room_id: roomId, users }) => {
    return { appCode: appOf(config, id), roomId, users };
  });
}

/** The app with this RTC account. */
export function appOf({ tencentIm }: RoomcellConfig, sdkAppId: number): string {
  for (const [appCode, app] of tencentIm.apps) if (app.sdkAppId === sdkAppId) return appCode;
  return '';
}
