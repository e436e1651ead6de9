/** The judges of what is only shown, before doctored runs. */
import { describe, expect, it } from 'vitest';
import type { AppCode, EventId, RoomId, RoomVersion, UserId } from '../../../../src/domain/ids.ts';
import type { RoomUsersCameAndWent } from '../../../../src/domain/events/displays.ts';
import type { EventRow } from '../../../../src/ports/commit-lane.ts';
import { arrivals } from '../../../simulation/checkers/arrivals.ts';
import { displayPace } from '../../../simulation/checkers/display-pace.ts';
import { shownDisplays } from '../../../simulation/checkers/shown-displays.ts';
import { after, codec, isAnswerTo, observed } from './doctoring.ts';
import { judged, type Doctoring } from './judged-run.ts';
import type { Entry } from './recorded-run.ts';
import { useHealthyRun } from './use-healthy-run.ts';

const run = useHealthyRun();
const appCode = 'app1' as AppCode;
const roomId = 'r1' as RoomId;
const displaysTopic = 'displays';
/** Of the three users of r1 two are many, and whoever goes is told by the lane. */
const lanes = { byDisplayLane: ['RoomMicUp'], largeRoomUsers: 1 };
const world = { lanes, displaysTopic };

interface Given {
  readonly version?: bigint;
  readonly pod?: string;
  readonly atMs?: number;
  readonly fields?: Partial<RoomUsersCameAndWent>;
  /** What cells offered is put on the topic, too. */
  readonly isStored?: boolean;
}

/** Users whose joins are gathered, as the log has them. */
const joinedAt: Readonly<Record<string, string>> = { '3': 'u2', '4': 'u3' };

function came(given: Given = {}): Uint8Array {
  const { version = 3n, fields } = given;
  const userId = joinedAt[String(version)] as UserId;
  const profile = { nickname: '', avatarUrl: '', countryCode: '', ext: '' };
  const display: RoomUsersCameAndWent = {
    type: 'RoomUsersCameAndWent',
    joined: [{ userId, profile: profileOf(userId) ?? profile, isRobot: false }],
    ...{ joinedCount: 1, leftUserIds: [], leftCount: 0, onlineCount: Number(version) - 1 },
    ...fields,
  };
  return codec.encodeDisplay({
    eventId: `display-${version}` as EventId,
    ...{ appCode, roomId, displayType: display.type, roomVersion: version as RoomVersion },
    ...{ occurredAtMs: 1, actorUserId: userId, display },
  });
}

function profileOf(userId: UserId) {
  for (const row of events()) {
    const read = codec.decodeEnvelope(row.envelope);
    if (!read.ok || read.value.event?.type !== 'RoomUserJoined') continue;
    if (row.roomId === roomId && read.value.event.userId === userId)
      return read.value.event.profile;
  }
  return null;
}

function events(): readonly EventRow[] {
  return run().flatMap((entry) =>
    entry.kind === 'row' && entry.table === 'events' && (entry.row as EventRow).appCode === appCode
      ? [entry.row as EventRow]
      : [],
  );
}

const micUp = (): EventRow => {
  const row = events().find(({ eventType }) => eventType === 'RoomMicUp');
  if (row === undefined) throw new Error('nobody went up');
  return row;
};

function offer(value: Uint8Array, { pod = 'a', atMs = 0, isStored = true }: Given = {}): Entry[] {
  const at = { partition: 0, offset: 0n, topic: displaysTopic };
  const offered = { kind: 'displayOffered', atMs, pod, incarnation: `${pod}.1`, value } as const;
  const stored = observed({ kind: 'appended', atMs, value, ...at });
  return isStored ? [observed(offered), stored] : [observed(offered)];
}

/** Behind the answer to a command: from there on it is committed. */
const behind = (commandId: string, entries: () => readonly Entry[]) =>
  after('answered', isAnswerTo(commandId), () => entries());

function found(doctoring: Doctoring): string {
  const all = judged([shownDisplays, displayPace], run(), { world, ...doctoring });
  expect(all.every(({ invariant }) => invariant === 'INV-48')).toBe(true);
  return all.map(({ text }) => text).join('\n');
}

describe('INV-48: a picture', () => {
  it('of a committed version, as the log makes it, is right', () => {
    expect(found({ entries: behind('join-u2', () => offer(came())) })).toBe('');
  });
  it('is of a committed version', () => {
    const entries = behind('join-u1', () => offer(came()));
    expect(found({ entries })).toMatch(/a\.1 shows RoomUsersCameAndWent .* is not committed/);
  });
  it('is shown by the owner that committed its version', () => {
    const entries = behind('join-u2', () => offer(came(), { pod: 'b' }));
    expect(found({ entries })).toMatch(/b\.1 shows .* of version 3 .*, which a committed/);
  });
  it('counts all that came since the one before', () => {
    const entries = behind('join-u3', () => offer(came({ version: 4n })));
    expect(found({ entries })).toMatch(/version 4 .* and the log makes .*u2/);
  });
  it('counts nobody twice', () => {
    const twice = () => [...offer(came()), ...offer(came({ fields: { onlineCount: 2 } }))];
    expect(found({ entries: behind('join-u2', twice) })).toMatch(/behind the one of version 3/);
  });
  it('is shown before it is stored on the topic', () => {
    const unseen = () => offer(came()).slice(1);
    expect(found({ entries: behind('join-u2', unseen) })).toMatch(/no cell has shown it/);
  });
  it('may be lost on the way', () => {
    const lost = () => offer(came(), { isStored: false });
    expect(found({ entries: behind('join-u2', lost) })).toBe('');
  });
  it('comes to the topic behind older ones of its kind', () => {
    const passing = () => {
      const one = offer(came());
      const other = offer(came({ version: 4n }), { atMs: 2_000 });
      return [...one.slice(0, 1), ...other, ...one.slice(1)];
    };
    expect(found({ entries: behind('join-u3', passing) })).toMatch(/version 3 .* behind version 4/);
  });
});

describe('INV-48: the pace', () => {
  const three = (stepMs: number) => () => [
    ...offer(came()),
    ...offer(came({ version: 4n }), { atMs: stepMs }),
    ...offer(came({ version: 4n }), { atMs: 2 * stepMs }),
  ];
  it('lets one of a kind through per second', () => {
    expect(found({ entries: behind('join-u3', three(500)) })).toMatch(/within the window/);
    expect(found({ entries: behind('join-u3', three(1_000)) })).not.toMatch(/within the window/);
  });
  it('lets a last word through', () => {
    const entries = behind('join-u3', () => three(500)().slice(0, 4));
    expect(found({ entries })).toBe('');
  });
});

describe('INV-48: a copied fact', () => {
  it('of a type that was given to the lane is right', () => {
    const entries = behind('m1', () => offer(micUp().envelope));
    expect(found({ entries })).toBe('');
  });
  it('goes by the outbox, unless its type was given to the lane', () => {
    const outbox = { ...world, lanes: { ...lanes, byDisplayLane: [] } };
    const entries = behind('m1', () => offer(micUp().envelope));
    expect(found({ world: outbox, entries })).toMatch(/another way \(outbox\)/);
  });
  it('has the bytes and the id of the fact', () => {
    const read = codec.decodeEnvelope(micUp().envelope);
    if (!read.ok) throw new Error(read.fault);
    const other = codec.encodeEnvelope({ ...read.value, eventId: 'another' as EventId });
    const late = codec.encodeEnvelope({ ...read.value, occurredAtMs: 1 });
    expect(found({ entries: behind('m1', () => offer(other)) })).toMatch(/is no committed event/);
    expect(found({ entries: behind('m1', () => offer(late)) })).toMatch(/with other bytes/);
  });
});

describe('INV-48: IM', () => {
  const seen = (type: string): Entry => {
    const text = JSON.stringify({ event_id: 'e', app_code: appCode, room_id: roomId, type });
    const at = { appCode, roomId, destination: 'im', eventId: 'e', atMs: 0 } as const;
    return observed({ kind: 'arrived', ...at, bytes: Buffer.from(text) });
  };
  it('gets no display that no cell has shown', () => {
    const entries = behind('m1', () => [seen('RoomUsersCameAndWent')]);
    expect(found({ entries })).toMatch(/RoomUsersCameAndWent e arrived at im, and no cell/);
  });
  it('gets no single message of who is told together with others (INV-20)', () => {
    const texts = judged([arrivals], run(), { world }).map(({ text }) => text);
    expect(texts.join('\n')).toMatch(/RoomUserJoined.*arrived at im, which it is not for/);
  });
});
