/** The RTC service as a fleet's gateway hears it: signed callbacks of one app over HTTP. */
import { createHmac } from 'node:crypto';
import type { RtcEventKind } from '../../../src/domain/mic/mic-commands.ts';
import { fleetApp } from './fleet.ts';
import { ownPorts } from './own-ports.ts';

const callbackKey = 'callback key of tests';
const sdkAppId = '1400000001';
const types = { audio_started: 203, audio_stopped: 204, room_exited: 104 } as const;

/** One callback. */
export interface Callback {
  readonly kind: RtcEventKind;
  readonly room: string;
  readonly user: string;
  readonly eventTimeMs: number;
  /** Default: the app's own. */
  readonly key?: string;
}

/** See the file header. */
export class RtcCallbacks {
  private readonly listen: string;

  private constructor(listen: string) {
    this.listen = listen;
  }

  static async open(): Promise<RtcCallbacks> {
    const [port = 0] = await ownPorts(1);
    return new RtcCallbacks(`127.0.0.1:${port}`);
  }

  /** Configuration of the one gateway that takes the callbacks. */
  get env(): Readonly<Record<string, string>> {
    return {
      ROOMCELL_RTC_CALLBACK_LISTEN: this.listen,
      ROOMCELL_RTC_APPS_DEMO_CALLBACK_KEY: callbackKey,
    };
  }

  /** Sends one callback once; answers the status. */
  async tell({ kind, room, user, eventTimeMs, key = callbackKey }: Callback): Promise<number> {
    const body = JSON.stringify({
      EventGroupId: 2,
      EventType: types[kind],
      CallbackTs: eventTimeMs,
      EventInfo: { RoomId: room, UserId: user, EventMsTs: eventTimeMs },
    });
    const sign = createHmac('sha256', key).update(body).digest('base64');
    const headers = { sign, sdkappid: sdkAppId, 'content-type': 'application/json' };
    const url = `http://${this.listen}/rtc/callback/${fleetApp}`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  }
}
