/** From what a cell is asked to what a client had asked a gateway, for recorded runs. */
import type { CommandBody } from '../../../../src/domain/room/commands.ts';
import type { CommandRequest } from '../../../../src/ports/room-api.ts';

/**
 * The request that a gateway would have made this body of. A password is as long as its hash. Throws
 * for commands that no client sends.
 */
export function requestOf(body: CommandBody): CommandRequest {
  switch (body.type) {
    case 'CreateRoom': {
      const { passwordHash, ...rest } = body;
      return { ...rest, password: passwordHash };
    }
    case 'JoinRoom': {
      const { type, profile, isRobot } = body;
      return { type, ...profile, isRobot, password: '' };
    }
    case 'UpdateUser':
      return { type: body.type, ...body.profile };
    case 'SetRoomPassword':
      return { type: body.type, password: body.passwordHash };
    case 'KickUser':
      return { ...body, expiresAtMs: BigInt(body.expiresAtMs) };
    case 'ExpireMicPublish':
    case 'ExpireMicHeartbeat':
    case 'ExpireMicRequests':
    case 'ExpireBans':
    case 'ApplyRtcEvent':
    case 'FinishClosing':
    case 'LaunchRocket':
    case 'NotePasswordAttempt':
    case 'SweepStaleUsers':
      throw new Error('no client sends this');
    default:
      return body;
  }
}
