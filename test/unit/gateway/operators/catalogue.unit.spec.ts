/** What operators of an app see of its gifts and rocket rules, and how they change them. */
import { describe, expect, test } from 'vitest';
import type { GiftId } from '../../../../src/domain/ids.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import { rocketRules } from '../../../support/rocket-builders.ts';
import { appCode, backend, frame, user } from '../gateway-fakes.ts';
import { byOperator, operatorsRig } from './operators-rig.ts';

const head = { appCode, commandId: 'g1', actorUserId: '' };
const rose = { giftId: 'rose', coinPrice: 2n ** 60n, onSale: true, lucky: true };
const { rulesVersion: _, ...rules } = rocketRules([100n]);

describe('every other role', () => {
  test.each([user, backend])('$role is denied each call, and nothing is done', async (caller) => {
    const { operators, database } = operatorsRig();
    const call = frame({ caller });
    const calls = [
      operators.listGifts(call, { appCode, pageSize: 0, cursor: '' }),
      operators.setGift(call, { ...head, gift: rose }),
      operators.getRocketRules(call, { appCode }),
      operators.setRocketRules(call, { ...head, rules }),
    ];
    for (const denied of calls) {
      await expect(denied).rejects.toMatchObject({ reason: 'PERMISSION_DENIED' });
    }
    expect(database.operatorAudit.size).toBe(0);
  });
});

describe('SetGift', () => {
  test('makes the next version, stands in the audit, and answers the same to a repeat', async () => {
    const { operators, database, drivers, ended } = operatorsRig();
    const set = () => ended(operators.setGift(byOperator(), { ...head, gift: rose }));
    const made = { ...rose, catalogueVersion: 1n };
    expect(await set()).toEqual(made);
    const other = { ...head, commandId: 'g2', gift: { ...rose, onSale: false } };
    expect(await ended(operators.setGift(byOperator(), other))).toMatchObject({
      catalogueVersion: 2n,
      onSale: false,
    });
    expect(await set()).toEqual(made);
    expect(database.operatorAudit.get(`${appCode}\0g1`)).toMatchObject({
      type: 'SetGift',
      operatorId: 'op-1',
    });
    const { giftCatalogue } = drivers;
    expect(await ended(giftCatalogue.version(appCode, 'rose' as GiftId, 3n))).toBeNull();
  });

  test('refuses another gift under the same id', async () => {
    const { operators, ended } = operatorsRig();
    await ended(operators.setGift(byOperator(), { ...head, gift: rose }));
    const other = { ...head, gift: { ...rose, coinPrice: 1n } };
    await expect(ended(operators.setGift(byOperator(), other))).rejects.toMatchObject({
      reason: 'COMMAND_ID_REUSED',
    });
  });

  test.each([0n, -1n, 2n ** 63n])('names all that is wrong with a price of %s', async (price) => {
    const { operators, database } = operatorsRig();
    const request = { ...head, commandId: '', gift: { ...rose, giftId: '', coinPrice: price } };
    await expect(operators.setGift(byOperator(), request)).rejects.toMatchObject({
      reason: 'INVALID_FIELD',
      facts: { field: 'command_id', field_2: 'gift.gift_id', field_3: 'gift.coin_price' },
    });
    expect(database.operatorAudit.size).toBe(0);
  });

  test('does not know what became of it while MySQL answers nothing', async () => {
    const away = (): Promise<never> => Promise.reject(new Failure('retry', 'UNAVAILABLE', 'away'));
    const { operators } = operatorsRig({
      giftCatalogue: { list: away, setBy: away },
    });
    await expect(operators.setGift(byOperator(), { ...head, gift: rose })).rejects.toMatchObject({
      reason: 'OUTCOME_UNKNOWN',
    });
  });
});

test('ListGifts goes through the catalogue page by page', async () => {
  const { operators, drivers, ended } = operatorsRig();
  for (const giftId of ['a', 'b', 'c'] as GiftId[]) {
    await ended(drivers.giftCatalogue.put(appCode, { ...rose, giftId }, 1));
  }
  const first = await ended(
    operators.listGifts(byOperator(), { appCode, pageSize: 2, cursor: '' }),
  );
  expect(first.gifts.map(({ giftId }) => giftId)).toEqual(['a', 'b']);
  const rest = { appCode, pageSize: 2, cursor: first.nextCursor };
  const second = await ended(operators.listGifts(byOperator(), rest));
  expect(second).toMatchObject({ gifts: [{ giftId: 'c' }], nextCursor: '' });
  const bad = { appCode, pageSize: -1, cursor: 'nonsense' };
  await expect(operators.listGifts(byOperator(), bad)).rejects.toMatchObject({
    facts: { field: 'page_size', field_2: 'cursor' },
  });
});

describe('rocket rules', () => {
  test('are null before the first, and then the newest', async () => {
    const { operators, database, ended } = operatorsRig();
    const read = () => ended(operators.getRocketRules(byOperator(), { appCode }));
    expect(await read()).toBeNull();
    const set = () => ended(operators.setRocketRules(byOperator(), { ...head, rules }));
    expect(await set()).toEqual({ ...rules, rulesVersion: 1n });
    expect(await set()).toEqual({ ...rules, rulesVersion: 1n });
    expect(await read()).toEqual({ ...rules, rulesVersion: 1n });
    expect(database.operatorAudit.get(`${appCode}\0g1`)).toMatchObject({ type: 'SetRocketRules' });
  });

  test('have defaults for what a caller leaves out', async () => {
    const { operators, ended } = operatorsRig();
    const bare = { ...rules, reset: '', overflow: '' };
    const stored = await ended(operators.setRocketRules(byOperator(), { ...head, rules: bare }));
    expect(stored).toMatchObject({ reset: 'round', overflow: 'carry' });
  });

  test('that are wrong are refused with all their faults', async () => {
    const { operators, database } = operatorsRig();
    const wrong = { ...rules, levels: [], fuelPerCoin: 0n, reset: 'week', overflow: 'burn' };
    await expect(
      operators.setRocketRules(byOperator(), { ...head, rules: wrong }),
    ).rejects.toMatchObject({
      facts: {
        field: 'rules.reset',
        field_2: 'rules.overflow',
        fault_3: 'levels: not 1 to 20',
        fault_4: 'fuel_per_coin: not 1 to 1000000',
      },
    });
    expect(database.operatorAudit.size).toBe(0);
  });
});
