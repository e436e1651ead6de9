/**
 * The IM client as the vendor's interface wants to be spoken to: which commands make a call of the
 * port, and what each answer means. How a command gets there and back is given; the REST driver and
 * the twin in memory are two ways.
 */
import type { UnknownOutcome } from '../../kernel/unknown-outcome.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GroupMessage, ImClient, SendOutcome } from '../../ports/im-client.ts';
import { imActionOf, imThrottleMs } from './error-table.ts';

/** A JSON object of the vendor's interface. */
export type ImBody = Readonly<Record<string, unknown>>;

/** A JSON object that came back, or nothing certain. */
export type ImAnswer = { readonly kind: 'answer'; readonly body: ImBody } | UnknownOutcome;

/** Sends one command. Never throws, and ends within `limitMs`, which is above 0. */
export type PostCommand = (command: string, body: ImBody, limitMs: number) => Promise<ImAnswer>;

/** An outcome together with what the vendor answered. */
interface Answered {
  readonly outcome: SendOutcome;
  /** The vendor's code; `noCode` when there was no answer. */
  readonly code: number;
  readonly body: ImBody;
}

/** Stands for an answer without a result. */
const noCode = -1;
const groupType = 'AVChatRoom';
const groupNameBytesMax = 30;
const droppedRetryAfterMs = 1_000;

/** See the file header. One call of the port ends within `callTimeoutMs`. */
export class VendorImClient implements ImClient {
  private readonly post: PostCommand;
  private readonly clock: Clock;
  private readonly callTimeoutMs: number;

  constructor(post: PostCommand, clock: Clock, callTimeoutMs: number) {
    this.post = post;
    this.clock = clock;
    this.callTimeoutMs = callTimeoutMs;
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

  async dissolveGroup(groupId: string): Promise<SendOutcome> {
    const { outcome, code } = await this.call(
      'destroy_group',
      { GroupId: groupId },
      this.deadline(),
    );
    return imActionOf(code) === 'noGroup' ? { kind: 'done' } : outcome;
  }

  async banMember(groupId: string, userId: string, seconds: number): Promise<SendOutcome> {
    const { outcome, code } = await this.inGroup('ban_group_member', groupId, {
      GroupId: groupId,
      Members_Account: [userId],
      Duration: seconds,
    });
    return imActionOf(code) === 'noAccount' ? { kind: 'done' } : outcome;
  }

  async unbanMember(groupId: string, userId: string): Promise<SendOutcome> {
    const body = { GroupId: groupId, Members_Account: [userId] };
    const { outcome, code } = await this.call('unban_group_member', body, this.deadline());
    const isNothingThere = ['noGroup', 'noAccount'].includes(imActionOf(code));
    return isNothingThere ? { kind: 'done' } : outcome;
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
    return this.clock.monoMs() + this.callTimeoutMs;
  }

  private async sendToGroup(command: string, groupId: string, body: ImBody): Promise<SendOutcome> {
    return (await this.inGroup(command, groupId, body)).outcome;
  }

  /**
   * A group may be missing because RoomCreated was given up or an operator dissolved it: it is made
   * once, and the command tried once more. Missing again is nothing that a later try would mend.
   */
  private async inGroup(command: string, groupId: string, body: ImBody): Promise<Answered> {
    const untilMs = this.deadline();
    const first = await this.call(command, body, untilMs);
    if (imActionOf(first.code) !== 'noGroup') return first;
    const ensured = await this.ensure(groupId, groupId.slice(0, groupNameBytesMax), untilMs);
    if (ensured.kind !== 'done') return { ...first, outcome: ensured };
    return this.call(command, body, untilMs);
  }

  /** The id is taken: fine when it is a group of our kind, since ids are the app's own (A4). */
  private async verifyOurs(groupId: string, made: Answered, untilMs: number): Promise<SendOutcome> {
    const found = await this.call('get_group_info', { GroupIdList: [groupId] }, untilMs);
    if (found.outcome.kind !== 'done') return found.outcome;
    const infos = found.body['GroupInfo'];
    const info: unknown = Array.isArray(infos) ? infos[0] : undefined;
    const type = typeof info === 'object' && info !== null ? (info as ImBody)['Type'] : undefined;
    return type === groupType ? { kind: 'done' } : made.outcome;
  }

  private async call(command: string, body: ImBody, untilMs: number): Promise<Answered> {
    const limitMs = untilMs - this.clock.monoMs();
    if (limitMs <= 0) return unanswered(command, 'no time left');
    const answer = await this.post(command, body, limitMs);
    if (answer.kind === 'unknown') return unanswered(command, answer.cause);
    const code = imCodeOf(answer.body);
    return { outcome: outcomeOf(command, code, answer.body), code, body: answer.body };
  }
}

/** The code of an answer. Success needs both marks (A2); a body without them is no answer: -1. */
export function imCodeOf(body: ImBody): number {
  const code = body['ErrorCode'];
  if (typeof code !== 'number' || !Number.isSafeInteger(code)) return noCode;
  return code === 0 && body['ActionStatus'] !== 'OK' ? noCode : code;
}

function unanswered(command: string, cause: string): Answered {
  return { outcome: { kind: 'unknown', cause: `${command}: ${cause}` }, code: noCode, body: {} };
}

function outcomeOf(command: string, code: number, body: ImBody): SendOutcome {
  if (code === noCode) {
    return { kind: 'unknown', cause: `${command}: an answer without a result` };
  }
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
