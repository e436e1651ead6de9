/** A script and the name under which the server remembers it. */
import { createHash } from 'node:crypto';

/** See the file header. */
export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
}

/** Makes one of its text. */
export function redisScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
