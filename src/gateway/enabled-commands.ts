/**
 * Which commands the deployment takes already. While an upgrade is under way a cell of the former
 * release may execute any room: a command that it does not know must not reach the topic, where it
 * would end as a dead letter. The stored level says when that is over; it never falls, so what is
 * enabled once is not asked for again.
 */
import type { CommandType } from '../domain/room/commands.ts';
import type { SchemaRegistry } from '../ports/schema-registry.ts';
import { commandLevel, schemaLevel } from '../protocol/schema-levels.ts';
import { notProduced, refusal } from './refusals.ts';

/** See the file header. */
export interface EnabledCommands {
  /** Whether the command is known to be enabled, without asking. */
  isKnown(type: CommandType): boolean;
  /**
   * Asks for the level. Throws NOT_YET_ENABLED when the command is above it, and a Retry failure when
   * the registry cannot be reached.
   */
  require(type: CommandType): Promise<void>;
}

/** Commands of the first level need no look. Calls that ask at the same time share one answer. */
export function createEnabledCommands(registry: Pick<SchemaRegistry, 'level'>): EnabledCommands {
  let known = 1;
  let asking: Promise<number> | null = null;
  const isKnown = (type: CommandType): boolean => commandLevel(type) <= known;
  return {
    isKnown,
    async require(type) {
      asking ??= registry.level(schemaLevel).finally(() => {
        asking = null;
      });
      known = Math.max(known, await asking);
      if (isKnown(type)) return;
      const levels = { level: String(known), needed_level: String(commandLevel(type)) };
      throw refusal('NOT_YET_ENABLED', { ...notProduced, ...levels });
    },
  };
}
