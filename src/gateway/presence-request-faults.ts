/** The rules of the fields of requests about who is in a room. */
import { userIdFault } from '../domain/ids.ts';
import { assertNever } from '../kernel/assert.ts';
import type { PresenceRequest, ProfileRequest } from '../ports/room-api.ts';
import type { FieldFaults } from './field-faults.ts';
import { fieldSizes, isTime } from './field-rules.ts';

/** Notes every fault of the request's own fields. */
export function presenceRequestFaults(faults: FieldFaults, request: PresenceRequest): void {
  switch (request.type) {
    case 'JoinRoom':
      faults.text('password', request.password, fieldSizes.password);
      return profileFaults(faults, request);
    case 'UpdateUser':
      return profileFaults(faults, request);
    case 'LeaveRoom':
      return;
    case 'KickUser':
      faults.add('user_id', userIdFault(request.userId));
      faults.text('reason', request.reason, fieldSizes.reason);
      if (!isTime(request.expiresAtMs)) faults.add('expires_at_ms', 'not a time in milliseconds');
      return;
    case 'EvictUser':
      faults.add('user_id', userIdFault(request.userId));
      return faults.text('reason', request.reason, fieldSizes.reason);
    case 'UnbanUser':
      return faults.add('user_id', userIdFault(request.userId));
    default:
      return assertNever(request, 'a request without rules');
  }
}

function profileFaults(faults: FieldFaults, profile: ProfileRequest): void {
  faults.text('profile.nickname', profile.nickname, fieldSizes.nickname);
  faults.text('profile.avatar_url', profile.avatarUrl, fieldSizes.url);
  faults.text('profile.country_code', profile.countryCode, fieldSizes.countryCode);
  faults.text('profile.ext', profile.ext, fieldSizes.profileExt);
}
