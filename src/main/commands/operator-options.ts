/** Options that commands of operators have in common, and what they refuse. */
import { randomUUID } from 'node:crypto';
import { InvalidArgumentError, Option } from 'commander';
import {
  userIdFault,
  wideIdFault,
  type AppCode,
  type CommandId,
  type UserId,
} from '../../domain/ids.ts';
import type { OperatorAct } from '../../ports/operator-store.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFault } from './command-fault.ts';

type ActHead = Pick<OperatorAct, 'appCode' | 'commandId' | 'operatorId'>;

/** Who does something to an app from the command line, under an id of its own. */
export function actHeadIn(appCode: AppCode, operatorId: UserId): ActHead {
  return { appCode, commandId: `cli-${randomUUID()}` as CommandId, operatorId };
}

/** The same of something that is about no app. */
export function actHeadOf(operatorId: UserId): ActHead {
  return actHeadIn('command-line' as AppCode, operatorId);
}

/** A line about a command line that means nothing. */
export function usage(line: string): CommandFault {
  return new CommandFault(exitCodes.usage, [line]);
}

/** An option that must be given. */
export function mandatory(flags: string, about: string): Option {
  return new Option(flags, about).makeOptionMandatory();
}

/** An offset of a log, or the id of a row. */
export function offsetOf(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('it must be a whole number');
  return BigInt(text);
}

/** A whole number above 0. */
export function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('it must be a number above 0');
  return Number(text);
}

/** The name of whoever does it, for the audit. */
export function operatorOf(text: string): UserId {
  const fault = userIdFault(text);
  if (fault !== null) throw new InvalidArgumentError(`a name of an operator: ${fault}`);
  return text as UserId;
}

/** An argument that is an id, such as an app or a gift. */
export function idOf<Id extends string = string>(text: string): Id {
  const fault = wideIdFault(text);
  if (fault !== null) throw new InvalidArgumentError(`The id is ${fault}.`);
  return text as Id;
}

/** An app. */
export function appOf(text: string): AppCode {
  const fault = wideIdFault(text);
  if (fault !== null) throw new InvalidArgumentError(`an app: ${fault}`);
  return text as AppCode;
}
