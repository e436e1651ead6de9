/** Ids and figures of the samples of 0.3.0: beyond 2^53, and texts beyond ASCII. */
import type { MicSessionId, UserId } from '../../../src/domain/ids.ts';

export const ann = 'u9007199254740993' as UserId;
export const bob = 'u9007199254740992' as UserId;
export const eve = 'u9223372036854775807' as UserId;
export const session = '3904d2d4-de88-54cf-bce6-d5e8d3a1326b' as MicSessionId;
export const timeMs = 1_700_000_000_123;
export const passwordHash = 'scrypt$16384$c2FsdDI$aGFzaDI';
export const passwordVersion = 9007199254740993n;

export const profile = {
  title: '晚间聊天 🎶',
  coverUrl: 'https://cdn.example/c2.png',
  announcement: '欢迎光临\n第二行',
  backgroundUrl: '',
  tags: ['music', '聊天', ''],
  ext: '{"theme":"dark"}',
};
