/**
 * What the vendor refuses in the body of a command before it looks at any group: absent fields, wrong
 * types, texts that are too long. A client of ours that came near one of these would be refused for good.
 */
import type { JsonObject } from '../json-fields.ts';

/** The vendor's code and words; null: nothing is wrong. */
export type BodyFault = { readonly code: number; readonly info: string } | null;

const messageBytesMax = 12 * 1024;
const groupIdBytesMax = 48;
const nameBytesMax = 30;
const uint32Max = 0xffffffff;
const accountsMax = 20;
const descriptionBytesMax = 1_000;
const groupTypes = new Set(['Public', 'Private', 'ChatRoom', 'AVChatRoom', 'Community']);
const priorities = new Set(['High', 'Normal', 'Low']);
const callbacks = new Set(['ForbidBeforeSendMsgCallback', 'ForbidAfterSendMsgCallback']);

/** create_group. */
export function createFault(body: JsonObject): BodyFault {
  const { Type: type, Name: name, GroupId: groupId } = body;
  if (typeof type !== 'string' || !groupTypes.has(type)) return parameter('no such Type');
  if (typeof name !== 'string' || name === '') return parameter('Name is needed');
  if (Buffer.byteLength(name) > nameBytesMax) return parameter('the name is too long');
  if (typeof groupId !== 'string') return parameter('GroupId is no text');
  if (!/^[\x20-\x7e]+$/.test(groupId)) return parameter('a GroupId is printable ASCII');
  if (groupId.length > groupIdBytesMax) return parameter('a GroupId has at most 48 bytes');
  if (groupId.startsWith('@TGS#')) return parameter('a GroupId must not begin with @TGS#');
  if (type === 'AVChatRoom' && body['MemberList'] !== undefined) {
    return { code: 10007, info: 'an AVChatRoom takes no MemberList' };
  }
  return null;
}

/** send_group_msg. */
export function messageFault(body: JsonObject): BodyFault {
  const { GroupId: groupId, Random: random, MsgPriority: priority, MsgBody: elements } = body;
  if (typeof groupId !== 'string') return parameter('GroupId is no text');
  const isUint32 = typeof random === 'number' && Number.isInteger(random) && random >= 0;
  if (!isUint32 || random > uint32Max) return parameter('Random must be a 32-bit number');
  if (priority !== undefined && !priorities.has(priority as string)) {
    return parameter('no such MsgPriority');
  }
  const forbidden = body['ForbidCallbackControl'] ?? [];
  const areCallbacks =
    Array.isArray(forbidden) && forbidden.every((name: unknown) => callbacks.has(name as string));
  if (!areCallbacks) return parameter('no such ForbidCallbackControl');
  for (const absent of ['OnlineOnlyFlag', 'SendMsgControl']) {
    if (body[absent] !== undefined) return parameter(`${absent} is not for an AVChatRoom`);
  }
  if (!Array.isArray(elements) || elements.length === 0 || !elements.every(isCustomElement)) {
    return { code: 90002, info: 'MsgBody is no list of elements' };
  }
  const isTooLong = Buffer.byteLength(JSON.stringify(elements)) > messageBytesMax;
  return isTooLong ? { code: 80002, info: 'too long' } : null;
}

/** send_group_system_notification, to a whole AVChatRoom. */
export function notificationFault(body: JsonObject): BodyFault {
  if (typeof body['GroupId'] !== 'string') return parameter('GroupId is no text');
  if (typeof body['Content'] !== 'string') return parameter('Content is no text');
  if (body['ToMembers_Account'] === undefined) return null;
  return { code: 10007, info: 'an AVChatRoom is notified as a whole' };
}

/** get_group_info. */
export function infoFault(body: JsonObject): BodyFault {
  const ids = body['GroupIdList'];
  const areIds = Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string');
  return areIds ? null : parameter('GroupIdList is no list of ids');
}

/** destroy_group. */
export function destroyFault(body: JsonObject): BodyFault {
  return typeof body['GroupId'] === 'string' ? null : parameter('GroupId is no text');
}

/** ban_group_member. */
export function banFault(body: JsonObject): BodyFault {
  const { Duration: duration, Description: description = '' } = body;
  const fault = accountsFault(body);
  if (fault !== null) return fault;
  const isWhole = typeof duration === 'number' && Number.isInteger(duration) && duration > 0;
  if (!isWhole || duration > uint32Max) return parameter('Duration must be a 32-bit number');
  if (typeof description !== 'string') return parameter('Description is no text');
  const isTooLong = Buffer.byteLength(description) > descriptionBytesMax;
  return isTooLong ? parameter('the description is too long') : null;
}

/** unban_group_member, and what ban_group_member has in common with it. */
export function accountsFault(body: JsonObject): BodyFault {
  const { GroupId: groupId, Members_Account: accounts } = body;
  if (typeof groupId !== 'string') return parameter('GroupId is no text');
  const areAccounts =
    Array.isArray(accounts) &&
    accounts.length > 0 &&
    accounts.every((account) => typeof account === 'string' && account !== '');
  if (!areAccounts) return parameter('Members_Account is no list of accounts');
  const areTooMany = accounts.length > accountsMax;
  return areTooMany ? { code: 10005, info: 'more than 20 accounts' } : null;
}

function isCustomElement(element: unknown): boolean {
  const { MsgType: type, MsgContent: content } = (element ?? {}) as JsonObject;
  if (type !== 'TIMCustomElem' || typeof content !== 'object' || content === null) return false;
  const { Data: data, Desc: desc = '', Ext: ext = '', Sound: sound = '' } = content as JsonObject;
  return [data, desc, ext, sound].every((text) => typeof text === 'string');
}

function parameter(info: string): BodyFault {
  return { code: 10004, info };
}
