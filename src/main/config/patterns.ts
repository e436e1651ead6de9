/**
 * Shapes of texts in the configuration. The alphabets of ids are the domain's (decision 17); here
 * they come with the words that a refusal shows.
 */

/** Node ids and app codes; they become parts of keys, topics and rows. */
export const wideName = {
  expression: /^[A-Za-z0-9_.:-]{1,64}$/,
  words: '1 to 64 of A-Z a-z 0-9 _ . : -',
};

/** A user of an app. */
export const userId = {
  expression: /^[A-Za-z0-9_-]{1,32}$/,
  words: '1 to 32 of A-Z a-z 0-9 _ -',
};

/** A topic prefix: with the longest suffix it stays below Kafka's 249. */
export const topicPrefix = {
  expression: /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/,
  words: '1 to 100 of A-Z a-z 0-9 . _ -, not beginning with a dot',
};

/** Where to listen or to call: an address or a name, and a port. IPv6 stands in brackets. */
export const hostAndPort = {
  expression: /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
  words: 'host:port',
};

/** A MySQL database that needs no quoting. */
export const databaseName = {
  expression: /^[A-Za-z0-9_]{1,64}$/,
  words: '1 to 64 of A-Z a-z 0-9 _',
};

/** Base of an HTTP interface, without a path to append to twice. */
export const httpUrl = {
  expression: /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/,
  words: 'an http or https URL without user, query and fragment',
};

/** Redis, plain or over TLS. */
export const redisUrl = {
  expression: /^rediss?:\/\/\S+$/,
  words: 'a redis:// or rediss:// URL',
};

/** A gift with its price: app, gift id, coins. */
export const giftOnSale = {
  expression: /^[A-Za-z0-9_.:-]{1,64}\/[A-Za-z0-9_.:-]{1,64}=[1-9]\d{0,11}(\/lucky)?$/,
  words: 'app_code/gift_id=coins or app_code/gift_id=coins/lucky',
};

/** The name of an event or of a display. */
export const eventTypeName = {
  expression: /^[A-Z][A-Za-z]{0,63}$/,
  words: 'the name of an event such as RoomUserUpdated',
};

/** Any text on one line. */
export const oneLine = { expression: /^[^\r\n]{1,1024}$/, words: 'one line of text' };

/** Rules of a rocket: who, when it begins anew, what becomes of too much fuel, and its levels. */
export const rocketAtStart = {
  expression:
    /^[A-Za-z0-9_.:-]{1,64}\/(round|day)\/(carry|cap)=[1-9]\d{0,17}:\d{4,7}(:[A-Za-z0-9_.-]{1,64})?(,[1-9]\d{0,17}:\d{4,7}(:[A-Za-z0-9_.-]{1,64})?){0,19}$/,
  words:
    "app_code/reset/overflow=fuel:countdown_ms[:reward_id],… such as 'demo/day/carry=1000:30000:badge'",
};
