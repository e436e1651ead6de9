/**
 * The values whose bytes release 0.4.0 wrote into this folder: those of 0.3.0 in the schemas of this
 * release, and what came with it. While the release is in the making its files are written anew with
 * each schema (`npx vitest run --project unit test/unit/protocol/golden-records -u`); once it is out,
 * nothing here changes but for a field's default when a later release adds a field.
 */
import type { GiftId, RoomVersion } from '../../../src/domain/ids.ts';
import type { RoomEvent } from '../../../src/domain/room/events.ts';
import type {
  CommandRecord,
  CommandTopicRecord,
  DisplayEnvelope,
  EventEnvelope,
  ReplyRecord,
  ResultRecord,
  SnapshotRecord,
} from '../../../src/protocol/records.ts';
import { ann, bob } from '../0.3.0/names.ts';
import * as former from '../0.3.0/samples.ts';
import { bodies } from './bodies.ts';
import { displays as newDisplays } from './displays.ts';
import { events as newEvents } from './events.ts';
import { rocket } from './rocket.ts';

/** Records of the commands topic. */
export const commands: readonly CommandTopicRecord[] = [
  ...former.commands,
  ...bodies.map((body) => ({ ...(former.commands[0] as CommandRecord), ...body })),
];

/** Result records: a gift to several targets. */
export const results: readonly ResultRecord[] = [
  ...former.results,
  {
    outcome: 'applied',
    roomVersion: 9007199254740993n as RoomVersion,
    reason: '',
    facts: {},
    fields: {
      batchDisplay: {
        giftId: 'rose' as GiftId,
        giftCount: 9_999,
        targetUserIds: [ann, bob],
        totalCoins: 9007199254740993n,
        comboId: '连击-1',
      },
      luckyDraws: (['none', 'paid', 'pending'] as const).map((prize, at) => ({
        ...{ targetUserId: ann, giftId: 'rose' as GiftId, giftCount: 9_999, drawId: `draw-${at}` },
        ...{ multiplierPercent: at * 250, prizeCoins: BigInt(at) * 9007199254740993n, prize },
        prizeReceiptId: prize === 'paid' ? 'prize/9007199254740993' : '',
        balanceAfter: prize === 'paid' ? 0n : null,
      })),
    },
  },
];

/** Replies of every kind. */
export const replies: readonly ReplyRecord[] = [...former.replies];

/** Every event, secrets included. */
export const events: readonly RoomEvent[] = [...former.events, ...newEvents];

/** Envelopes of every event type. */
export const envelopes: readonly EventEnvelope[] = [
  ...former.envelopes,
  ...newEvents.map((event) => ({
    ...(former.envelopes[0] as EventEnvelope),
    eventType: event.type,
    event: former.withoutSecret(event),
  })),
];

/** Snapshots. */
export const snapshots: readonly SnapshotRecord[] = [
  ...former.snapshots,
  ...former.snapshots.slice(0, 1).map(({ state }) => ({ state: { ...state, rocket } })),
];

export { withoutSecret } from '../0.3.0/samples.ts';

/** Displays of every type. */
export const displays: readonly DisplayEnvelope[] = newDisplays.map((display, index) => ({
  eventId: `00000000-0000-5000-8000-00000000000${index}` as DisplayEnvelope['eventId'],
  appCode: 'app1' as DisplayEnvelope['appCode'],
  roomId: 'r1' as DisplayEnvelope['roomId'],
  displayType: display.type,
  roomVersion: 7n as DisplayEnvelope['roomVersion'],
  occurredAtMs: 1_700_000_000_000,
  actorUserId: 'u1' as DisplayEnvelope['actorUserId'],
  display,
}));
