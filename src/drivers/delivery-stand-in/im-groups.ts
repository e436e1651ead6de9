/**
 * The groups of the IM stand-in and its rules for them: one id per app, repeats dropped for five
 * minutes by (group, number, body), at most forty messages per second and group, 12 KB a message. One ban
 * per group and user, which ends by itself; a group that is gone takes its bans with it.
 */
import { hash } from 'node:crypto';
import { textField } from '../json-fields.ts';
import type { JsonObject } from '../json-fields.ts';
import { accountsFault, banFault, createFault, messageFault } from './im-checks.ts';
import { RateLimit } from './rate-limit.ts';

/** The vendor's answer, without the envelope around it. */
export interface GroupAnswer {
  readonly code: number;
  readonly info: string;
  readonly fields?: JsonObject;
}

/** A message that came in, and what became of it. */
export interface SentMessage {
  readonly answer: GroupAnswer;
  readonly stored: boolean;
  readonly repeat: boolean;
}

interface Group {
  readonly type: string;
  readonly name: string;
  readonly owner: string;
  sequence: number;
  readonly rate: RateLimit;
  /** Digest of (number, body) to the time at which it was stored. */
  readonly seen: Map<string, number>;
  /** By user: when the ban ends. */
  readonly bans: Map<string, number>;
}

/** A group as the control interface shows it. */
export interface ShownGroup {
  readonly sdk_app_id: number;
  readonly group_id: string;
  readonly name: string;
  readonly messages: number;
  /** Whose ban is not over yet. */
  readonly banned: readonly { readonly user_id: string; readonly until_ms: number }[];
}

const repeatsMs = 5 * 60 * 1000;
const messagesPerSecondMax = 40;
const groupsMax = 100_000;
/** Where the vendor's older pages allow bans. */
const bannableType = 'AVChatRoom';

/** Groups of all apps. */
export class ImGroups {
  private readonly groups = new Map<string, Group>();
  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** create_group. */
  create(app: number, body: JsonObject, operator: string): GroupAnswer {
    const fault = createFault(body);
    if (fault !== null) return fault;
    const [type, name] = [textField(body, 'Type'), textField(body, 'Name')];
    const groupId = textField(body, 'GroupId');
    const owner = typeof body['Owner_Account'] === 'string' ? body['Owner_Account'] : '';
    const known = this.find(app, groupId);
    if (known !== undefined) {
      return known.owner === operator
        ? refused(10025, 'group id has be used by the operator')
        : refused(10021, 'group id is in use');
    }
    if (this.groups.size >= groupsMax) return refused(10058, 'too many groups');
    const rate = new RateLimit(messagesPerSecondMax, this.nowMs);
    const group = { type, name, owner, sequence: 0, rate, seen: new Map(), bans: new Map() };
    this.groups.set(keyOf(app, groupId), group);
    return done({ GroupId: groupId });
  }

  /** destroy_group. */
  destroy(app: number, groupId: string): GroupAnswer {
    return this.groups.delete(keyOf(app, groupId)) ? done() : missing();
  }

  /** get_group_info of one group, as an element of `GroupInfo`. */
  info(app: number, groupId: string): JsonObject {
    const group = this.find(app, groupId);
    if (group === undefined) return { GroupId: groupId, ErrorCode: 10010, ErrorInfo: 'no group' };
    const { type, name, owner } = group;
    const shown = { Type: type, Name: name, Owner_Account: owner };
    return { GroupId: groupId, ErrorCode: 0, ErrorInfo: '', ...shown };
  }

  /** True when the group is there. */
  has(app: number, groupId: string): boolean {
    return this.find(app, groupId) !== undefined;
  }

  /** send_group_msg; `bodyBytes` is the size of the request. */
  send(app: number, body: JsonObject): SentMessage {
    const fault = messageFault(body);
    if (fault !== null) return notStored(fault);
    const groupId = textField(body, 'GroupId');
    const content = JSON.stringify(body['MsgBody']);
    const group = this.find(app, groupId);
    if (group === undefined) return notStored(missing());
    const now = this.nowMs();
    const digest = hash('sha256', `${String(body['Random'])}\0${content}`, 'hex');
    const storedAt = group.seen.get(digest);
    if (storedAt !== undefined && now - storedAt < repeatsMs) {
      return { answer: done(this.place(group, now)), stored: false, repeat: true };
    }
    if (!group.rate.takes('')) {
      return notStored(refused(10023, 'more than 40 messages in a second'));
    }
    group.seen.set(digest, now);
    group.sequence += 1;
    this.forgetOld(group, now);
    return { answer: done(this.place(group, now)), stored: true, repeat: false };
  }

  /** ban_group_member: who is banned already gets the new end. */
  ban(app: number, body: JsonObject): GroupAnswer {
    const endsAtMs = this.nowMs() + Number(body['Duration']) * 1_000;
    return this.changeBans(app, body, banFault(body), (bans, account) => {
      bans.set(account, endsAtMs);
    });
  }

  /** unban_group_member: who is not banned stays so. */
  unban(app: number, body: JsonObject): GroupAnswer {
    return this.changeBans(app, body, accountsFault(body), (bans, account) => {
      bans.delete(account);
    });
  }

  /** All groups, for the control interface. */
  show(): readonly ShownGroup[] {
    const nowMs = this.nowMs();
    return [...this.groups].map(([key, { name, sequence: messages, bans }]) => {
      const at = key.indexOf('\0');
      const banned = [...bans]
        .filter(([, endsAtMs]) => endsAtMs > nowMs)
        .map(([userId, endsAtMs]) => ({ user_id: userId, until_ms: endsAtMs }));
      const ids = { sdk_app_id: Number(key.slice(0, at)), group_id: key.slice(at + 1) };
      return { ...ids, name, messages, banned };
    });
  }

  private changeBans(
    app: number,
    body: JsonObject,
    fault: GroupAnswer | null,
    change: (bans: Map<string, number>, account: string) => void,
  ): GroupAnswer {
    if (fault !== null) return fault;
    const group = this.find(app, textField(body, 'GroupId'));
    if (group === undefined) return missing();
    if (group.type !== bannableType) return refused(10007, 'not for this type of group');
    for (const account of body['Members_Account'] as readonly string[]) {
      change(group.bans, account);
    }
    return done();
  }

  private find(app: number, groupId: string): Group | undefined {
    return this.groups.get(keyOf(app, groupId));
  }

  private place(group: Group, now: number): JsonObject {
    return { MsgTime: Math.floor(now / 1000), MsgSeq: group.sequence };
  }

  /** Entries stand in the order of their times, so the old ones are in front. */
  private forgetOld(group: Group, now: number): void {
    for (const [digest, storedAt] of group.seen) {
      if (now - storedAt < repeatsMs) return;
      group.seen.delete(digest);
    }
  }
}

function keyOf(app: number, groupId: string): string {
  return `${app}\0${groupId}`;
}

function done(fields: JsonObject = {}): GroupAnswer {
  return { code: 0, info: '', fields };
}

function refused(code: number, info: string): GroupAnswer {
  return { code, info };
}

function missing(): GroupAnswer {
  return refused(10010, 'no such group');
}

function notStored(answer: GroupAnswer): SentMessage {
  return { answer, stored: false, repeat: false };
}
