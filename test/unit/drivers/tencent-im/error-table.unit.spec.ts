/** What each error code asks for. */
import { describe, expect, it } from 'vitest';
import {
  imActionOf,
  imErrorActions,
  imErrorRows,
  imThrottleMs,
} from '../../../../src/drivers/im-vendor/error-table.ts';

describe('the error table of Tencent Cloud IM', () => {
  it.each([
    [10002, 'retry'],
    [20004, 'retry'],
    [20005, 'retry'],
    [60008, 'retry'],
    [80003, 'retry'],
    [90995, 'retry'],
    [10006, 'throttle'],
    [10023, 'throttle'],
    [60007, 'throttle'],
    [70050, 'throttle'],
    [10004, 'permanent'],
    [10007, 'permanent'],
    [10017, 'permanent'],
    [60010, 'permanent'],
    [80001, 'permanent'],
    [80002, 'permanent'],
    [90009, 'permanent'],
    [93000, 'permanent'],
    [10036, 'alarm'],
    [10059, 'alarm'],
    [60028, 'alarm'],
    [10008, 'sign'],
    [60004, 'sign'],
    [70001, 'sign'],
    [70014, 'sign'],
    [10019, 'noAccount'],
    [70107, 'noAccount'],
    [10010, 'noGroup'],
    [10015, 'noGroup'],
    [10021, 'inUse'],
    [10025, 'exists'],
  ])('says of %i: %s', (code, action) => {
    expect(imActionOf(code)).toBe(action);
  });

  it('tries codes again that it does not know', () => {
    expect(imActionOf(99_999)).toBe('retry');
  });

  it('names each code once', () => {
    expect(imErrorActions.size).toBe(imErrorRows.flatMap(([, codes]) => codes).length);
  });

  it('waits a minute after a signature that failed too often, else a second', () => {
    expect(imThrottleMs(70050)).toBe(60_000);
    expect(imThrottleMs(10023)).toBe(1_000);
  });
});
