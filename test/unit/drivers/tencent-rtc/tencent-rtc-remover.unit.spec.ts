/** The RTC remover over HTTP, on the stand-in of the sandbox: the contract, and what the wire shows. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { RoomId, UserId } from '../../../../src/domain/ids.ts';
import { RtcStandIn } from '../../../../src/drivers/delivery-stand-in/rtc-stand-in.ts';
import { startRtcSandbox } from '../../../../src/drivers/sandbox/rtc-sandbox.ts';
import { createSystemRandom } from '../../../../src/drivers/system/system-random.ts';
import { createTencentRtcRemover } from '../../../../src/drivers/tencent-rtc/tencent-rtc-remover.ts';
import { rtcUserRemoverContract } from '../../../contract/suites/rtc-user-remover-contract.ts';
import { driverDeps } from '../../../support/driver-deps.ts';

const app = { sdkAppId: 1_400_000_001, secretId: 'AKIDEXAMPLE', secretKey: 'a secret of tests' };
const loopback = { host: '127.0.0.1', port: 0 };
const { clock, timers } = driverDeps();
const settings = { ...app, region: 'ap-guangzhou', callTimeoutMs: 1_500 };

async function opened(nowMs: () => number = () => clock.wallMs()) {
  const standIn = new RtcStandIn({ clock, timers, random: createSystemRandom() });
  const server = await startRtcSandbox(loopback, { apps: [app], standIn, nowMs });
  return { standIn, server };
}

rtcUserRemoverContract('Tencent RTC over HTTP', async () => {
  const { standIn, server } = await opened();
  const remover = createTencentRtcRemover({ ...settings, apiUrl: server.url }, { clock });
  return {
    remover,
    standIn,
    sdkAppId: app.sdkAppId,
    callTimeoutMs: settings.callTimeoutMs,
    pass: (ms) => timers.sleep(ms),
    async close() {
      remover.stop();
      await server.stop();
    },
  };
});

describe('the RTC remover over HTTP', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  const removeBy = (change: Partial<typeof settings & { apiUrl: string }>) => {
    const remover = createTencentRtcRemover({ ...settings, apiUrl: '', ...change }, { clock });
    ends.push(() => remover.stop());
    return remover.removeUser('r1' as RoomId, 'u1' as UserId);
  };

  it('is refused for good with another account, key, application or clock, and shows no secret', async () => {
    const { server } = await opened();
    const early = await opened(() => clock.wallMs() - 3_600_000);
    ends.push(
      () => server.stop(),
      () => early.server.stop(),
    );
    const outcomes = [
      await removeBy({ apiUrl: server.url, secretId: 'AKIDSTRANGER' }),
      await removeBy({ apiUrl: server.url, secretKey: 'another secret' }),
      await removeBy({ apiUrl: server.url, sdkAppId: 7 }),
      await removeBy({ apiUrl: early.server.url }),
    ];
    const codes = outcomes.map((outcome) => ('error' in outcome ? outcome.error : outcome.kind));
    expect(codes).toEqual([
      expect.stringContaining('AuthFailure.SecretIdNotFound'),
      expect.stringContaining('AuthFailure.SignatureFailure'),
      expect.stringContaining('InvalidParameter.SdkAppId'),
      expect.stringContaining('AuthFailure.SignatureExpire'),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(4).fill('permanent'));
    expect(JSON.stringify(outcomes)).not.toMatch(/secret of tests|another secret|Signature=/);
  });

  it.each(['<html>', '[]', '{}', '{"Response":null}'])('takes %s for no answer', async (text) => {
    const odd = http.createServer((_request, response) => response.end(text));
    await new Promise<void>((listening) => odd.listen(0, loopback.host, listening));
    ends.push(() => odd.close());
    const apiUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    expect(await removeBy({ apiUrl })).toMatchObject({ kind: 'unknown' });
  });

  it('throws nothing while nobody listens', async () => {
    const { server } = await opened();
    await server.stop();
    expect(await removeBy({ apiUrl: server.url })).toMatchObject({ kind: 'unknown' });
  });
});
