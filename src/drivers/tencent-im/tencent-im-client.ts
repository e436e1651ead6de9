/**
 * Tencent Cloud IM over its REST interface: turns calls of the adapter into requests and answers
 * into outcomes. One instance per app (SDKAppID). Neither key nor signature ever enters an error.
 */
import type { Clock } from '../../ports/clock.ts';
import type { GroupMessage, ImClient, SendOutcome } from '../../ports/im-client.ts';
import type { Random } from '../../ports/random.ts';
import { AdminUserSig } from './admin-user-sig.ts';
import { imActionOf, imThrottleMs } from './error-table.ts';
import { RestConnections } from './rest-call.ts';

/** Account and limits of one app. */
export interface TencentImSettings {
  readonly baseUrl: string;
  readonly sdkAppId: number;
  /** An admin account of the app. */
  readonly adminIdentifier: string;
  readonly secretKey: string;
  /** For one call of the port, however many requests it takes. */
  readonly callTimeoutMs: number;
}

/** The client with the end of its connections. */
export interface TencentImClient extends ImClient {
  stop(): void;
}

type Body = Readonly<Record<string, unknown>>;
/** An outcome together with what the vendor answered. */
interface Answered {
  readonly outcome: SendOutcome;
  /** The vendor's code; -1 when there was no answer. */
  readonly code: number;
  readonly body: Body;
}

const groupType = 'AVChatRoom';
const groupNameBytesMax = 30;
const droppedRetryAfterMs = 1_000;

/** Makes a client. It opens no connection before its first call. */
export function createTencentImClient(
  settings: TencentImSettings,
  context: { readonly clock: Clock; readonly random: Random },
): TencentImClient {
  return new RestImClient(settings, context);
}

class RestImClient implements TencentImClient {
  private readonly settings: TencentImSettings;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly connections: RestConnections;
  private readonly userSig: AdminUserSig;

  constructor(
    settings: TencentImSettings,
    context: { readonly clock: Clock; readonly random: Random },
  ) {
    const { sdkAppId, adminIdentifier: identifier, secretKey } = settings;
    this.settings = settings;
    this.clock = context.clock;
    this.random = context.random;
    this.connections = new RestConnections(settings.baseUrl);
    this.userSig = new AdminUserSig({ sdkAppId, identifier, secretKey }, context.clock);
  }

  ensureGroup(groupId: string, name: string): Promise<SendOutcome> {
    return this.ensure(groupId, name, this.deadline());
  }

  sendGroupMessage(message: GroupMessage): Promise<SendOutcome> {
    return this.sendToGroup('send_group_msg', message.groupId, {
      GroupId: message.groupId,
      Random: message.random,
      MsgPriority: message.priority,
      // Our own app's callbacks have no say in what the room service tells.
      ForbidCallbackControl: ['ForbidBeforeSendMsgCallback', 'ForbidAfterSendMsgCallback'],
      MsgBody: [
        {
          MsgType: 'TIMCustomElem',
          MsgContent: { Data: message.data, Desc: 'room_event', Ext: '', Sound: '' },
        },
      ],
    });
  }

  sendGroupNotification(groupId: string, content: string): Promise<SendOutcome> {
    const body = { GroupId: groupId, Content: content };
    return this.sendToGroup('send_group_system_notification', groupId, body);
  }

  stop(): void {
    this.connections.close();
  }

  private async ensure(groupId: string, name: string, untilMs: number): Promise<SendOutcome> {
    const body = { Type: groupType, GroupId: groupId, Name: name };
    const made = await this.call('create_group', body, untilMs);
    if (made.outcome.kind === 'done') return made.outcome;
    const action = imActionOf(made.code);
    if (action === 'exists') return { kind: 'done' };
    return action === 'inUse' ? this.verifyOurs(groupId, made, untilMs) : made.outcome;
  }

  /** On the monotonic clock. */
  private deadline(): number {
    return this.clock.monoMs() + this.settings.callTimeoutMs;
  }

  /**
   * A group may be missing because RoomCreated was given up or an operator dissolved it: it is made
   * once, and the send tried once more. Missing again is nothing that a later try would mend.
   */
  private async sendToGroup(command: string, groupId: string, body: Body): Promise<SendOutcome> {
    const untilMs = this.deadline();
    const first = await this.call(command, body, untilMs);
    if (imActionOf(first.code) !== 'noGroup') return first.outcome;
    const ensured = await this.ensure(groupId, groupId.slice(0, groupNameBytesMax), untilMs);
    if (ensured.kind !== 'done') return ensured;
    return (await this.call(command, body, untilMs)).outcome;
  }

  /** The id is taken: fine when it is a group of our kind, since ids are the app's own (A4). */
  private async verifyOurs(groupId: string, made: Answered, untilMs: number): Promise<SendOutcome> {
    const found = await this.call('get_group_info', { GroupIdList: [groupId] }, untilMs);
    if (found.outcome.kind !== 'done') return found.outcome;
    const infos = found.body['GroupInfo'];
    const info: unknown = Array.isArray(infos) ? infos[0] : undefined;
    const type = typeof info === 'object' && info !== null ? (info as Body)['Type'] : undefined;
    return type === groupType ? { kind: 'done' } : made.outcome;
  }

  /** One request; a refused signature is made anew and tried once more. */
  private async call(command: string, body: Body, untilMs: number): Promise<Answered> {
    const first = await this.request(command, body, untilMs);
    if (imActionOf(first.code) !== 'sign') return first;
    this.userSig.drop();
    return this.request(command, body, untilMs);
  }

  private async request(command: string, body: Body, untilMs: number): Promise<Answered> {
    const { sdkAppId, adminIdentifier } = this.settings;
    const limitMs = untilMs - this.clock.monoMs();
    if (limitMs <= 0) return unanswered(command, 'no time left');
    const query = new URLSearchParams({
      sdkappid: String(sdkAppId),
      identifier: adminIdentifier,
      usersig: this.userSig.get(),
      random: String(Number.parseInt(this.random.hex(4, 'im request'), 16)),
      contenttype: 'json',
    });
    const path = `/v4/group_open_http_svc/${command}?${query.toString()}`;
    const answer = await this.connections.post(path, body, limitMs);
    if (answer.kind === 'unknown') return unanswered(command, answer.cause);
    const code = codeOf(answer.body);
    return { outcome: outcomeOf(command, code, answer.body), code, body: answer.body };
  }
}

function unanswered(command: string, cause: string): Answered {
  return { outcome: { kind: 'unknown', cause: `${command}: ${cause}` }, code: -1, body: {} };
}

/** Success needs both marks (A2); a body without them is no answer of the vendor. */
function codeOf(body: Body): number {
  const code = body['ErrorCode'];
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return -1;
  return code === 0 && body['ActionStatus'] !== 'OK' ? -1 : code;
}

function outcomeOf(command: string, code: number, body: Body): SendOutcome {
  if (code === -1) return { kind: 'unknown', cause: `${command}: an answer without a result` };
  if (code === 0) {
    const dropped = body['MsgDropReason'];
    if (typeof dropped !== 'string' || dropped === '') return { kind: 'done' };
    // Accepted, counted, and thrown away by frequency control (A5).
    const error = `${command}: dropped: ${dropped}`;
    return { kind: 'throttled', error, retryAfterMs: droppedRetryAfterMs };
  }
  const info = body['ErrorInfo'];
  const error = `${command}: ${code} ${typeof info === 'string' ? info : ''}`.trim();
  const action = imActionOf(code);
  if (action === 'retry') return { kind: 'retryable', error };
  if (action === 'throttle') return { kind: 'throttled', error, retryAfterMs: imThrottleMs(code) };
  return { kind: 'permanent', error };
}
