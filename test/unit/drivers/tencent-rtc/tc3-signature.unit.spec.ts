/** Signatures of the server interface against published and recomputed values (tencent.md B7). */
import { describe, expect, it } from 'vitest';
import {
  tc3Authorization,
  tc3Fault,
  tc3RequestHash,
  tc3Signature,
} from '../../../../src/drivers/tc3-signature.ts';
import { rtcActionOf } from '../../../../src/drivers/rtc-vendor/error-table.ts';

const stars = '*'.repeat(32);

describe('a TC3 signature', () => {
  it.each([
    {
      of: 'the vendor’s published example',
      account: { secretId: `AKID${stars}`, secretKey: stars },
      request: {
        service: 'cvm',
        host: 'cvm.tencentcloudapi.com',
        action: 'DescribeInstances',
        timestampSeconds: 1_551_113_065,
        body:
          String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], ` +
          '"Name": "instance-name"}]}',
      },
      hash: '7019a55be8395899b900fb5564e4200d984910f34794a27cb3fb7d10ff6a1e84',
      signature: '10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f',
    },
    {
      of: 'a removal',
      account: { secretId: 'AKIDEXAMPLE', secretKey: 'SECRETEXAMPLE' },
      request: {
        service: 'trtc',
        host: 'trtc.tencentcloudapi.com',
        action: 'RemoveUserByStrRoomId',
        timestampSeconds: 1_700_000_000,
        body: '{"SdkAppId":1400000000,"RoomId":"room-1","UserIds":["u1","u2"]}',
      },
      hash: '6f25b1d3833d312db792ee423a15ff680698ce174b0900d77b415108de371b3e',
      signature: '2a75e693f3bf2d6a7cf8d55f334de8c5d4ccbe409e6770eeef7dba3e102b51c0',
    },
  ])('of $of is the known one', ({ account, request, hash, signature }) => {
    expect(tc3RequestHash(request)).toBe(hash);
    expect(tc3Signature(account.secretKey, request)).toBe(signature);
    const authorization = tc3Authorization(account, request);
    expect(authorization).toMatch(/^TC3-HMAC-SHA256 Credential=AKID/);
    expect(
      authorization.endsWith(`SignedHeaders=content-type;host;x-tc-action, Signature=${signature}`),
    ).toBe(true);
    expect(tc3Fault(account, request, authorization, request.timestampSeconds + 300)).toBeNull();
    expect(tc3Fault(account, request, authorization, request.timestampSeconds + 301)).toBe(
      'AuthFailure.SignatureExpire',
    );
    expect(
      tc3Fault(
        account,
        { ...request, body: `${request.body} ` },
        authorization,
        request.timestampSeconds,
      ),
    ).toBe('AuthFailure.SignatureFailure');
  });

  it('without a time that is one is refused', () => {
    const account = { secretId: 'A', secretKey: 'k' };
    const request = { service: 's', host: 'h', action: 'a', timestampSeconds: NaN, body: '' };
    expect(tc3Fault(account, request, 'Credential=A/', 0)).toBe('AuthFailure.SignatureExpire');
  });
});

describe('an error code of the RTC service', () => {
  it.each([
    ['FailedOperation.RoomNotExist', 'done'],
    ['RequestLimitExceeded', 'throttle'],
    ['RequestLimitExceeded.UinLimitExceeded', 'throttle'],
    ['InternalError', 'retry'],
    ['InternalError.GetRoomCacheIpError', 'retry'],
    ['InvalidParameter.RoomId', 'permanent'],
    ['InvalidParameterValue.RoomId', 'permanent'],
    ['MissingParameter.UserIds', 'permanent'],
    ['UnauthorizedOperation.SdkAppId', 'permanent'],
    ['AuthFailure.SignatureFailure', 'permanent'],
    ['SomethingNew', 'retry'],
  ])('%s asks for: %s', (code, action) => {
    expect(rtcActionOf(code)).toBe(action);
  });
});
