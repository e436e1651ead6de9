/**
 * Two releases at once: what a newer or older release wrote is read by this one, and the reverse.
 * The other release is made from our own schemas by adding or removing a piece.
 */
import avsc from 'avsc';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/kernel/assert.ts';
import { parseAvroType } from '../../../src/protocol/avro-types.ts';
import { createCodec } from '../../../src/protocol/codec.ts';
import type { Codec } from '../../../src/protocol/codec-api.ts';
import { commandToWire } from '../../../src/protocol/command-mapping.ts';
import { envelopeToWire, loggedEventsToWire } from '../../../src/protocol/event-mapping.ts';
import { schemaJson } from '../../../src/protocol/generated-schemas.ts';
import type { SchemaName } from '../../../src/protocol/generated-schemas.ts';
import { replyToWire } from '../../../src/protocol/result-mapping.ts';
import { canonicalForm } from '../../../src/protocol/schema-book.ts';
import { fingerprintBytes, rabinFingerprint } from '../../../src/protocol/schema-fingerprint.ts';
import { commands, envelopes, events, replies } from '../../golden/0.4.0/samples.ts';

interface RecordJson {
  name: string;
  type: unknown;
  fields: { name: string; type: unknown; default: unknown }[];
  symbols: string[];
}

/** Our schema of `name` after `change` was made to the type called `typeName` within it. */
function otherRelease(name: SchemaName, typeName: string, change: (type: RecordJson) => void) {
  const schema = JSON.parse(schemaJson[name]) as unknown;
  const found: RecordJson[] = [];
  JSON.stringify(schema, (_, node: RecordJson | null) => {
    if (typeof node === 'object' && node?.name === `roomcell.${typeName}`) found.push(node);
    return node;
  });
  change(found.find((node) => node.fields ?? node.symbols)!);
  const json = JSON.stringify(schema);
  const type = parseAvroType(schema);
  const fingerprint = fingerprintBytes(rabinFingerprint(canonicalForm(type)));
  return {
    json,
    fingerprint: fingerprint.toString('hex'),
    write: (value: unknown): Buffer =>
      Buffer.concat([Buffer.from('c301', 'hex'), fingerprint, type.toBuffer(value)]),
  };
}

function taught(json: string): Codec {
  const codec = createCodec();
  codec.learnSchema(json);
  return codec;
}

const addField =
  (name: string, type: unknown, fallback: unknown) =>
  (record: RecordJson): void => {
    record.fields.unshift({ name, type, default: fallback });
  };

const dropField =
  (name: string) =>
  (record: RecordJson): void => {
    record.fields = record.fields.filter((field) => field.name !== name);
  };

const joinRoom = commands[1]!;
const leaveRoom = commands[2]!;

describe('a schema of another release', () => {
  const newer = otherRelease('CommandTopicRecord', 'Command', addField('traceId', 'string', ''));
  const bytes = newer.write(commandToWire(joinRoom));

  it('is a named fault until it is learnt, and its fingerprint can be looked up', () => {
    const codec = createCodec();
    expect(codec.unknownFingerprint(bytes)).toBe(newer.fingerprint);
    expect(codec.decodeCommand(bytes)).toEqual({
      ok: false,
      fault: `unknown schema ${newer.fingerprint}`,
    });
  });

  it('is read afterwards, and learning it again changes nothing', () => {
    const codec = taught(newer.json);
    codec.learnSchema(newer.json);
    expect(codec.unknownFingerprint(bytes)).toBeNull();
    expect(codec.decodeCommand(bytes)).toEqual({ ok: true, value: joinRoom });
  });

  it('does not change what this release writes', () => {
    const codec = taught(newer.json);
    expect(codec.encodeCommand(joinRoom)).toEqual(createCodec().encodeCommand(joinRoom));
    expect(codec.writerSchemas).toEqual(createCodec().writerSchemas);
  });

  it('that is our own is known already', () => {
    const codec = createCodec();
    for (const { json } of codec.writerSchemas) codec.learnSchema(json);
    expect(codec.unknownFingerprint(codec.encodeCommand(joinRoom))).toBeNull();
  });

  it('that is none stops the one who registered it', () => {
    const codec = createCodec();
    for (const text of ['', '{', '"text"x', '{"type":"recrd"}', 'null']) {
      expect(() => codec.learnSchema(text)).toThrow(InvariantError);
    }
  });

  it('with a record that this release does not have is a fault and not a crash', () => {
    const json = '{"type":"record","name":"roomcell.RankSnapshot","fields":[]}';
    const fingerprint = fingerprintBytes(
      rabinFingerprint(canonicalForm(parseAvroType(JSON.parse(json)))),
    );
    const foreign = Buffer.concat([Buffer.from('c301', 'hex'), fingerprint]);
    expect(taught(json).decodeCommand(foreign)).toEqual({
      ok: false,
      fault: 'a RankSnapshot instead of a CommandTopicRecord',
    });
  });

  it('that changed a type beyond reading is a fault that names the record', () => {
    const broken = otherRelease('CommandTopicRecord', 'Command', (record) => {
      record.fields.find(({ name }) => name === 'appCode')!.type = { type: 'array', items: 'int' };
      record.fields.find(({ name }) => name === 'appCode')!.default = [];
    });
    const codec = taught(broken.json);
    const decoded = codec.decodeCommand(broken.write({ content: null }));
    expect(decoded).toMatchObject({ ok: false });
    expect(decoded.ok ? '' : decoded.fault).toContain('cannot read CommandTopicRecord');
  });
});

describe('a newer writer', () => {
  it('with one field more, in front of ours, is read without it', () => {
    const field = addField('welcome', { type: 'array', items: 'string' }, []);
    const newer = otherRelease('CommandTopicRecord', 'JoinRoom', field);
    const wire = commandToWire({
      ...joinRoom,
      body: { ...(joinRoom as { body: object }).body, welcome: ['a', 'b'] },
    } as never);
    expect(taught(newer.json).decodeCommand(newer.write(wire))).toEqual({
      ok: true,
      value: joinRoom,
    });
  });

  it('with a new command type leaves all other commands readable', () => {
    const newer = otherRelease('CommandTopicRecord', 'Command', addBranch('body', 'LightRocket'));
    const codec = taught(newer.json);
    for (const command of commands) {
      expect(codec.decodeCommand(newer.write(commandToWire(command)))).toEqual({
        ok: true,
        value: command,
      });
    }
  });

  it('with a new command type gets a fault that names it', () => {
    const newer = otherRelease('CommandTopicRecord', 'Command', addBranch('body', 'LightRocket'));
    const wire = commandToWire(leaveRoom) as { content: Record<string, { body: unknown }> };
    wire.content['roomcell.Command']!.body = {
      'roomcell.LightRocket': { profile: joinProfile, coins: 5n },
    };
    expect(taught(newer.json).decodeCommand(newer.write(wire))).toEqual({
      ok: false,
      fault: 'unknown command type LightRocket',
    });
  });

  it('with a new kind of record on the topic gets a fault that names it', () => {
    const newer = otherRelease(
      'CommandTopicRecord',
      'CommandTopicRecord',
      addBranch('content', 'Fold2'),
    );
    const wire = { content: { 'roomcell.Fold2': { profile: joinProfile, coins: 5n } } };
    expect(taught(newer.json).decodeCommand(newer.write(wire))).toEqual({
      ok: false,
      fault: 'commands topic record of unknown kind Fold2',
    });
  });

  it('with a new role is refused, with a new snapshot mode is not', () => {
    const role = otherRelease('CommandTopicRecord', 'ActorRole', (type) =>
      type.symbols.push('bot'),
    );
    const bot = commandToWire({ ...leaveRoom, actorRole: 'bot' } as never);
    expect(taught(role.json).decodeCommand(role.write(bot))).toEqual({
      ok: false,
      fault: 'actorRole is a symbol of a newer release',
    });
    const modes = otherRelease('CommandTopicRecord', 'SnapshotMode', (t) => t.symbols.push('full'));
    const full = commandToWire({ ...leaveRoom, snapshotMode: 'full' } as never);
    expect(taught(modes.json).decodeCommand(modes.write(full))).toEqual({
      ok: true,
      value: { ...leaveRoom, snapshotMode: 'none' },
    });
  });
});

describe('an envelope of a newer release', () => {
  it('with an unknown event still tells its type and ids', () => {
    const newer = otherRelease(
      'EventEnvelope',
      'EventEnvelope',
      addBranch('event', 'RoomRocketLit'),
    );
    const event = { 'roomcell.RoomRocketLit': { profile: joinProfile, coins: 7n } };
    const wire = {
      ...(envelopeToWire(envelopes[1]!) as object),
      eventType: 'RoomRocketLit',
      event,
    };
    expect(taught(newer.json).decodeEnvelope(newer.write(wire))).toEqual({
      ok: true,
      value: { ...envelopes[1], eventType: 'RoomRocketLit', event: null },
    });
  });

  it('with an unknown reason still tells who left', () => {
    const newer = otherRelease('EventEnvelope', 'LeaveReason', (type) =>
      type.symbols.push('vanished'),
    );
    const left = envelopes[3]!;
    const wire = envelopeToWire({ ...left, event: { ...left.event, reason: 'vanished' } } as never);
    const codec = taught(newer.json);
    const decoded = codec.decodeEnvelope(newer.write(wire));
    const value = { ...left, event: { ...left.event, reason: 'unknown' } } as typeof left;
    expect(decoded).toEqual({ ok: true, value });
    expect(codec.decodeEnvelope(codec.encodeEnvelope(value))).toEqual({ ok: true, value });
  });

  it('with an unknown room mode keeps type and ids, without the event', () => {
    const newer = otherRelease('EventEnvelope', 'RoomMode', (type) => type.symbols.push('queue'));
    const created = envelopes[0]!;
    const wire = envelopeToWire({
      ...created,
      event: { ...created.event, mode: 'queue' },
    } as never);
    expect(taught(newer.json).decodeEnvelope(newer.write(wire))).toEqual({
      ok: true,
      value: { ...created, event: null },
    });
  });

  it('whose type and event disagree is a fault', () => {
    const codec = createCodec();
    const bytes = codec.encodeEnvelope({ ...envelopes[1]!, eventType: 'RoomClosed' });
    expect(codec.decodeEnvelope(bytes)).toEqual({
      ok: false,
      fault: 'an envelope of RoomClosed holds RoomUserJoined',
    });
  });
});

describe('a log of a newer release', () => {
  it('with an unknown event or reason is a fault: a state without it would be wrong', () => {
    const reasons = otherRelease('LoggedEvents', 'LeaveReason', (t) => t.symbols.push('vanished'));
    const vanished = loggedEventsToWire([{ ...events[3]!, reason: 'vanished' } as never]);
    expect(taught(reasons.json).decodeLoggedEvents(reasons.write(vanished))).toEqual({
      ok: false,
      fault: 'RoomUserLeft.reason is a symbol of a newer release',
    });
    const types = otherRelease(
      'LoggedEvents',
      'LoggedEvents',
      addItemBranch('events', 'RoomRocketLit'),
    );
    const gift = { 'roomcell.RoomRocketLit': { profile: joinProfile, coins: 7n } };
    const codec = taught(types.json);
    expect(codec.decodeLoggedEvents(types.write({ events: [gift] }))).toEqual({
      ok: false,
      fault: 'unknown event type RoomRocketLit',
    });
    expect(codec.decodeLoggedEvents(types.write(loggedEventsToWire(events)))).toEqual({
      ok: true,
      value: events,
    });
  });
});

describe('a reply of a newer release', () => {
  it('with a view that cannot be shown still brings the outcome', () => {
    const newer = otherRelease('ReplyRecord', 'RoomStatus', (type) => type.symbols.push('frozen'));
    const reply = replies[0] as Extract<(typeof replies)[0], { kind: 'result' }>;
    const wire = replyToWire({ ...reply, view: { ...reply.view, status: 'frozen' } } as never);
    expect(taught(newer.json).decodeReply(newer.write(wire))).toEqual({
      ok: true,
      value: { ...reply, view: null },
    });
  });
});

describe('an older writer', () => {
  it('with one field fewer is read with the default', () => {
    const older = otherRelease('CommandTopicRecord', 'JoinRoom', dropField('isRobot'));
    const bytes = older.write(commandToWire(joinRoom));
    expect(taught(older.json).decodeCommand(bytes)).toMatchObject({
      ok: true,
      value: { body: { isRobot: false, profile: { nickname: '安 🎤' } } },
    });
  });

  it('with one 64-bit field fewer is read with a bigint default', () => {
    const older = otherRelease('LoggedEvents', 'RoomCreated', dropField('visibleRegionId'));
    const decoded = taught(older.json).decodeLoggedEvents(older.write(loggedEventsToWire(events)));
    expect(decoded.ok && decoded.value[0]).toMatchObject({ visibleRegionId: 0n });
  });
});

describe('an older reader', () => {
  it('reads what this release writes, by the rules that any Avro reader follows', () => {
    const older = otherRelease('CommandTopicRecord', 'Command', dropField('clientTimeMs'));
    const [ours] = createCodec().writerSchemas.filter(({ name }) => name === 'CommandTopicRecord');
    const reader = avsc.Type.forSchema(JSON.parse(older.json) as avsc.Schema);
    const resolver = reader.createResolver(
      avsc.Type.forSchema(JSON.parse(ours!.json) as avsc.Schema),
    );
    const bytes = Buffer.from(createCodec().encodeCommand(leaveRoom)).subarray(10);
    const value = reader.fromBuffer(bytes, resolver) as { content: Record<string, object> };
    expect(value.content['roomcell.Command']).toMatchObject({
      roomId: 'room-1',
      actorRole: 'user',
    });
    expect(value.content['roomcell.Command']).not.toHaveProperty('clientTimeMs');
  });
});

const joinProfile = { nickname: 'x', avatarUrl: '', countryCode: '', ext: '' };

/** A record kind of the future, which holds a type that is ours and one long. */
function futureRecord(name: string): object {
  const profileFields = ['nickname', 'avatarUrl', 'countryCode', 'ext'];
  return {
    type: 'record',
    name: `roomcell.${name}`,
    fields: [
      {
        name: 'profile',
        type: {
          type: 'record',
          name: `roomcell.${name}Profile`,
          fields: profileFields.map((field) => ({ name: field, type: 'string', default: '' })),
        },
        default: {},
      },
      { name: 'coins', type: 'long', default: 0 },
    ],
  };
}

function addBranch(field: string, name: string) {
  return (record: RecordJson): void => {
    const union = record.fields.find((candidate) => candidate.name === field)!;
    (union.type as unknown[]).push(futureRecord(name));
  };
}

function addItemBranch(field: string, name: string) {
  return (record: RecordJson): void => {
    const list = record.fields.find((candidate) => candidate.name === field)!;
    (list.type as { items: unknown[] }).items.push(futureRecord(name));
  };
}
