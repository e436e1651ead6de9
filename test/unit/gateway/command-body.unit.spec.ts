/** What is produced for a request that needs no fact. */
import { expect, test } from 'vitest';
import { commandBody } from '../../../src/gateway/command-body.ts';
import type { PlainRequest } from '../../../src/gateway/command-body.ts';
import { samples } from './request-samples.ts';

const { CreateRoom: _, JoinRoom: __, SetRoomPassword: ___, ...plain } = samples;

/** Bodies that say it in other words than their requests. */
const inOtherWords: { readonly [Type in PlainRequest['type']]?: object } = {
  UpdateUser: {
    type: 'UpdateUser',
    profile: { nickname: 'Ann', avatarUrl: 'a', countryCode: 'DE', ext: 'e' },
  },
  KickUser: { ...samples.KickUser, expiresAtMs: 1_700_000_000_123 },
};

test.each(Object.values(plain))('$type says what was asked for, and no more', (request) => {
  expect(commandBody(request)).toEqual(inOtherWords[request.type] ?? request);
});

test('both modes and both answers keep their meaning', () => {
  for (const mode of ['free', 'apply']) {
    expect(commandBody({ type: 'SetRoomMode', mode })).toMatchObject({ mode });
  }
  for (const answer of ['accepted', 'declined']) {
    const request = { ...samples.AnswerMicRequest, answer };
    expect(commandBody(request)).toMatchObject({ answer, userId: 'u2' });
  }
});
