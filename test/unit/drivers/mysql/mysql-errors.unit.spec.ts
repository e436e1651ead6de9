/** The table of server errors, read back row by row: a number that changes its sort is a decision. */
import { describe, expect, it } from 'vitest';
import {
  MysqlError,
  ownTimeLimit,
  sortByErrno,
  toFailure,
  toMysqlError,
} from '../../../../src/drivers/mysql/mysql-errors.ts';
import { Failure } from '../../../../src/kernel/failure.ts';

const serverError = (errno: number, message = 'as the server says it'): Error =>
  Object.assign(new Error(message), { errno, code: 'ER_SOMETHING', sqlState: 'HY000' });
const clientError = (code: string, errno?: number): Error =>
  Object.assign(new Error(`read ${code}`), { code, errno });

describe('sorting of MySQL errors', () => {
  it.each([
    ['deadlock', [1020, 1213, 1614, 3101]],
    ['lockWait', [1205, 3572]],
    ['duplicate', [1062, 1586]],
    [
      'data',
      [
        1048, 1118, 1153, 1264, 1265, 1292, 1300, 1301, 1364, 1366, 1367, 1406, 1452, 1526, 1690,
        3140, 3819, 3854, 4025,
      ],
    ],
    ['readOnly', [1290, 1792, 1836, 3100]],
    ['tooMany', [1040, 1203, 1226]],
    ['storage', [3, 28, 1021, 1026, 1030, 1114, 1180, 1206]],
    ['denied', [1044, 1045, 1095, 1142, 1227, 1698]],
    ['noSuchThread', [1094]],
    ['killed', [1053, 1317, 1927, 3168, 3169, 4031]],
    ['lost', [1152, 1158, 1159, 1160, 1161, 1184]],
    ['timeLimit', [1969, 3024]],
  ])('%s is what these numbers mean, and no others', (sort, numbers) => {
    for (const errno of numbers) expect(toMysqlError(serverError(errno)).sort).toBe(sort);
    const all = Object.entries(sortByErrno).filter(([, value]) => value === sort);
    expect(all.map(([errno]) => Number(errno))).toEqual(numbers);
  });

  it('a number that is not in the table is no data error: an outage must make no dead letter', () => {
    expect(toMysqlError(serverError(1064)).sort).toBe('other');
    expect(toMysqlError(serverError(65_000)).sort).toBe('other');
  });

  it.each([
    ['ECONNRESET', -104],
    ['EPIPE', -32],
    ['ECONNREFUSED', -111],
    ['ENOTFOUND', -3008],
    ['ETIMEDOUT', undefined],
    ['PROTOCOL_CONNECTION_LOST', undefined],
  ])('%s without a server’s number is a lost connection', (code, errno) => {
    const error = toMysqlError(clientError(code, errno));
    expect(error).toMatchObject({ sort: 'lost', errno: 0 });
    expect(error.message).toContain(code);
  });

  it.each([
    ["Duplicate entry 'a-b-c' for key 'PRIMARY'", 'PRIMARY'],
    ["Duplicate entry 'a-b-c' for key 'room_command_log.PRIMARY'", 'PRIMARY'],
    ["Duplicate entry 'a-5' for key 'one_writer_per_version'", 'one_writer_per_version'],
    [
      "Duplicate entry 'a-5' for key 'room_command_log.one_writer_per_version'",
      'one_writer_per_version',
    ],
    ["Duplicate entry 'it's for key 'x'-5' for key 'rooms.PRIMARY'", 'PRIMARY'],
    ['a text of another shape', null],
  ])('the key of: %s', (message, key) => {
    expect(toMysqlError(serverError(1062, message)).key).toBe(key);
  });

  it('sorting twice changes nothing', () => {
    const once = toMysqlError(serverError(1213));
    expect(toMysqlError(once)).toBe(once);
    expect(ownTimeLimit('a statement', 50)).toBeInstanceOf(MysqlError);
  });

  it.each([
    ['data', 1406, 'reject', 'DATA_REFUSED'],
    ['a deadlock', 1213, 'retry', 'UNAVAILABLE'],
    ['a read-only server', 1836, 'retry', 'UNAVAILABLE'],
    ['an unknown number', 65_000, 'retry', 'UNAVAILABLE'],
  ])('for callers of the pool %s (%i) is %s %s', (_what, errno, kind, reason) => {
    const failure = toFailure(serverError(errno), 'saving a snapshot');
    expect(failure).toMatchObject({ kind, reason, facts: { errno: String(errno) } });
    expect(failure.message).toContain('saving a snapshot');
  });

  it('hands a Failure of a body on as it is', () => {
    const failure = new Failure('fenced', 'NOT_OWNER', 'lost');
    expect(toFailure(failure, 'anything')).toBe(failure);
  });
});
