/**
 * Records of the commands topic that nobody could execute: what operators of the deployment see of
 * them, and how one is sent again when its cause is gone. Partitions hold rooms of every app.
 */
import { assertDefined } from '../../kernel/assert.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommandSink } from '../../ports/command-sink.ts';
import type { DeadLetterView, OperatorApi } from '../../ports/operator-api.ts';
import type { OperatorStore } from '../../ports/operator-store.ts';
import type { DeadLetter, RecordPlace, ReplayStore } from '../../ports/replay-store.ts';
import { headerNames } from '../../protocol/topics.ts';
import { createFieldFaults } from '../field-faults.ts';
import { cursorBehind, pageFaults, pageSizeOf } from '../pages.ts';
import { readBytes, type BytesReader } from '../read-bytes.ts';
import { notProduced, refusal } from '../refusals.ts';
import { actFaults, actHead, carryOut } from './carry-out.ts';
import { authorizeDeployment } from './partitions.ts';

const placeText = /^([0-9]{1,9})\/([0-9]{1,18})$/;

/** What letters are looked at with. */
export interface DeadLetterPorts extends BytesReader {
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly operatorStore: Pick<OperatorStore, 'carryOut'>;
  readonly replayStore: Pick<ReplayStore, 'deadLetters' | 'deadLetter'>;
  readonly commandSink: Pick<CommandSink, 'produce'>;
}

/** `deploymentApp`: the app whose operators have the whole deployment; '': no app's. */
export function createDeadLetterActs(
  ports: DeadLetterPorts,
  parts: { readonly partitionCount: number; readonly deploymentApp: string },
): Pick<OperatorApi, 'listDeadLetters' | 'replayDeadLetter'> {
  const { replayStore } = ports;
  return {
    async listDeadLetters(frame, page) {
      authorizeDeployment(frame, { ...page, actorUserId: '' }, parts.deploymentApp);
      const faults = createFieldFaults();
      const after = pageFaults(faults, page, (text) => (placeOf(text) ? null : 'malformed'));
      faults.throwIfAny();
      const size = pageSizeOf(page.pageSize);
      const letters = await replayStore.deadLetters(placeOf(after), size);
      return {
        letters: await Promise.all(letters.map((letter) => viewOf(ports, letter))),
        nextCursor: cursorBehind(letters, size, (letter) => `${letter.partition}/${letter.offset}`),
      };
    },
    async replayDeadLetter(frame, request) {
      const operatorId = authorizeDeployment(frame, request, parts.deploymentApp);
      const { partition, offset } = request;
      const faults = actFaults(request, operatorId);
      faults.integer('partition', partition, 0, parts.partitionCount - 1);
      if (offset < 0n) faults.add('offset', 'negative');
      faults.throwIfAny();
      const head = actHead(request, operatorId);
      await carryOut(ports, { ...head, type: 'ReplayDeadLetter', partition, offset });
      return appendAgain(ports, { partition, offset });
    },
  };
}

/** Null: no place; '' is none either. */
function placeOf(text: string): RecordPlace | null {
  const found = placeText.exec(text);
  if (found === null) return null;
  return { partition: Number(found[1]), offset: BigInt(found[2] ?? '0') };
}

/**
 * Appends a record that was just noted as replayed, and answers its new offset. Whoever called once is gone: nobody is answered. A time to live counts from
 * the new record on. Throws UNAVAILABLE when nothing was sent, OUTCOME_UNKNOWN.
 */
export async function appendAgain(
  {
    replayStore,
    commandSink,
  }: Pick<DeadLetterPorts, 'commandSink'> & {
    readonly replayStore: Pick<ReplayStore, 'deadLetter'>;
  },
  { partition, offset }: RecordPlace,
): Promise<bigint> {
  const letter = await replayStore.deadLetter({ partition, offset });
  const record = assertDefined(letter?.record, 'a letter that was replayed is gone');
  const { key, value, headers } = record;
  const { correlationId, replyPartition } = headerNames;
  const kept = Object.entries(headers).filter(
    ([name]) => name !== correlationId && name !== replyPartition,
  );
  const end = await commandSink.produce({
    partition,
    key,
    value,
    headers: Object.fromEntries(kept),
  });
  switch (end.kind) {
    case 'stored':
      return end.offset;
    case 'notSent':
      throw refusal('UNAVAILABLE', notProduced);
    case 'unknown':
      throw refusal('OUTCOME_UNKNOWN', { produced: 'unknown' });
  }
}

async function viewOf(ports: BytesReader, letter: DeadLetter): Promise<DeadLetterView> {
  return {
    ...letter,
    command: letter.record === null ? null : await commandIn(ports, letter.record),
  };
}

/** Null for what cannot be read now, whyever. */
async function commandIn(
  ports: BytesReader,
  { value }: NonNullable<DeadLetter['record']>,
): Promise<DeadLetterView['command']> {
  const read = await readBytes(ports, value, (bytes) => ports.codec.decodeCommand(bytes));
  if (!read.ok || read.value.kind !== 'command') return null;
  const { appCode, roomId, commandId, body } = read.value;
  return { appCode, roomId, commandId, type: body.type };
}
