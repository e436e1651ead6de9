/** Facts beside a request: hash, verdict and ban, never the password. */
import { describe, expect, test } from 'vitest';
import type { AppCode, UserId } from '../../../src/domain/ids.ts';
import type { JoinRoom } from '../../../src/domain/presence/presence-commands.ts';
import { attachFacts } from '../../../src/gateway/attach-facts.ts';
import type { ParsedCommand } from '../../../src/gateway/parse-command.ts';
import type { CommandRequest } from '../../../src/ports/room-api.ts';
import {
  appCode,
  away,
  commandId,
  PlainPasswords,
  roomId,
  roomKey,
  userId,
} from './gateway-fakes.ts';
import { samples } from './request-samples.ts';

type Stored = { passwordHash: string; passwordVersion: bigint } | null;

const nowMs = 1_000_000;

/** `bannedUntilMs` null: the platform has not banned the user. */
function sources(stored: Stored, bannedUntilMs: number | null = null) {
  const passwords = new PlainPasswords();
  const clock = { wallMs: () => nowMs };
  let reads = 0;
  const bansAsked: unknown[][] = [];
  const roomQueries = {
    passwordOf: () => {
      reads += 1;
      return Promise.resolve(stored);
    },
    isPlatformBanned: (...asked: [AppCode, UserId, number]) => {
      bansAsked.push(asked);
      return Promise.resolve(bannedUntilMs !== null && bannedUntilMs > asked[2]);
    },
  };
  return { clock, passwords, roomQueries, reads: () => reads, bansAsked };
}

function command(request: CommandRequest): ParsedCommand {
  return {
    appCode,
    roomId,
    roomKey,
    commandId,
    actorUserId: userId,
    actorRole: 'user',
    clientTimeMs: 0,
    snapshotMode: 'view',
    request,
  };
}

const join = (password: string): ParsedCommand =>
  command({
    type: 'JoinRoom',
    password,
    nickname: 'Ann',
    avatarUrl: 'a',
    countryCode: 'DE',
    ext: 'e',
    isRobot: false,
  });

const create = (password: string): ParsedCommand =>
  command({
    type: 'CreateRoom',
    title: 'T',
    coverUrl: '',
    backgroundUrl: '',
    seatCount: 8,
    mode: '',
    visibleRegionId: 1n,
    password,
    tags: ['a'],
    ext: '',
  });

async function verdictOf(stored: Stored, password: string, isRefresh = false) {
  const body = await attachFacts(sources(stored), join(password), isRefresh);
  return (body as JoinRoom).password;
}

const locked = { passwordHash: 'hash(good,c0)', passwordVersion: 3n };

describe('JoinRoom', () => {
  test('carries the verdict with the version it is about', async () => {
    expect(await verdictOf(locked, 'good')).toEqual({ passwordVersion: 3n, verdict: 'match' });
    expect(await verdictOf(locked, 'bad')).toEqual({ passwordVersion: 3n, verdict: 'mismatch' });
  });

  test('without a password reads nothing, and the version only after FACT_STALE', async () => {
    const from = sources(locked);
    const first = (await attachFacts(from, join(''), false)) as JoinRoom;
    expect(first.password).toEqual({ passwordVersion: 0n, verdict: 'none_given' });
    expect(from.reads()).toBe(0);
    const again = (await attachFacts(from, join(''), true)) as JoinRoom;
    expect(again.password).toEqual({ passwordVersion: 3n, verdict: 'none_given' });
  });

  test('of an open room had nothing to compare with', async () => {
    const open = { passwordHash: '', passwordVersion: 2n };
    expect(await verdictOf(open, 'x')).toEqual({ passwordVersion: 2n, verdict: 'none_given' });
  });

  test('of an unknown room is left to the cell', async () => {
    expect(await verdictOf(null, 'x')).toEqual({ passwordVersion: 0n, verdict: 'none_given' });
  });

  test('never carries the password itself', async () => {
    const body = await attachFacts(sources(locked), join('good'), false);
    expect(JSON.stringify(body, (_key, value: unknown) => String(value))).not.toContain('good');
    expect(body).toEqual({
      type: 'JoinRoom',
      profile: { nickname: 'Ann', avatarUrl: 'a', countryCode: 'DE', ext: 'e' },
      isRobot: false,
      password: { passwordVersion: 3n, verdict: 'match' },
      isPlatformBanned: false,
    });
  });

  test('tells whether the platform has banned the user, at this moment', async () => {
    const from = sources(null, nowMs + 1);
    expect(await attachFacts(from, join(''), false)).toMatchObject({ isPlatformBanned: true });
    expect(from.bansAsked).toEqual([[appCode, userId, nowMs]]);
    const over = sources(null, nowMs);
    expect(await attachFacts(over, join(''), false)).toMatchObject({ isPlatformBanned: false });
  });

  test('looks at ban and password at the same time', async () => {
    const from = sources(locked);
    const passwordOf = () => {
      // The ban is asked for before the password has answered.
      return Promise.resolve().then(() => {
        expect(from.bansAsked).toHaveLength(1);
        return locked;
      });
    };
    const roomQueries = { ...from.roomQueries, passwordOf };
    await attachFacts({ ...from, roomQueries }, join('good'), false);
    expect.assertions(1);
  });

  test('fails as a retry when the rooms cannot be read', async () => {
    const from = sources(null);
    for (const gone of ['passwordOf', 'isPlatformBanned']) {
      const roomQueries = { ...from.roomQueries, [gone]: () => Promise.reject(away()) };
      const broken = attachFacts({ ...from, roomQueries }, join('x'), false);
      await expect(broken).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    }
  });
});

describe('CreateRoom', () => {
  test('carries the hash instead of the password, the same in every try', async () => {
    const bodies = await Promise.all(
      [1, 2].map(() => attachFacts(sources(null), create('good'), false)),
    );
    expect(bodies[0]).toMatchObject({ passwordHash: 'hash(good,c1)', mode: 'free' });
    expect(bodies[0]).not.toHaveProperty('password');
    expect(bodies[1]).toEqual(bodies[0]);
  });

  test('of an open room carries no hash', async () => {
    expect(await attachFacts(sources(null), create(''), false)).toMatchObject({ passwordHash: '' });
  });
});

describe('SetRoomPassword', () => {
  const set = (password: string) => command({ type: 'SetRoomPassword', password });

  test('carries the hash instead of the password, the same in every try', async () => {
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await attachFacts(sources(null), set('good'), false)).toEqual({
        type: 'SetRoomPassword',
        passwordHash: 'hash(good,c1)',
      });
    }
  });

  test('without a password opens the room', async () => {
    const body = await attachFacts(sources(locked), set(''), false);
    expect(body).toEqual({ type: 'SetRoomPassword', passwordHash: '' });
  });
});

test('no other command looks at anything', async () => {
  const from = sources(locked);
  const withFacts: readonly string[] = ['CreateRoom', 'JoinRoom', 'SetRoomPassword'];
  for (const request of Object.values(samples)) {
    if (withFacts.includes(request.type)) continue;
    expect((await attachFacts(from, command(request), true)).type).toBe(request.type);
  }
  expect([from.reads(), from.bansAsked.length]).toEqual([0, 0]);
});
