/** Reads the configuration for a command, or ends it with every fault on its own line. */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { RoomcellConfig } from '../config/config-schema.ts';
import { loadConfig, type Origins } from '../config/load-config.ts';
import { exitCodes } from '../exit-codes.ts';
import { projectRoot } from '../project-root.ts';
import type { RoleName } from '../role.ts';
import { CommandFault } from './command-fault.ts';

/** A configuration that has passed, and where it came from. */
export interface ReadConfig {
  readonly config: RoomcellConfig;
  readonly origins: Origins;
  readonly file: string;
}

/** The file that `--config` or ROOMCELL_CONFIG names, else development's. Throws CommandFault. */
export function readConfig(command: Command, roles: readonly RoleName[]): ReadConfig {
  const { config: named } = command.optsWithGlobals<{ config?: string }>();
  const file =
    named ?? process.env['ROOMCELL_CONFIG'] ?? join(projectRoot(), 'config', 'development.yaml');
  const loaded = loadConfig({ file, env: process.env, roles, localAddresses: ownAddresses() });
  if (loaded.ok) return { config: loaded.config, origins: loaded.origins, file };
  const count = loaded.faults.length;
  throw new CommandFault(exitCodes.badConfig, [
    `The configuration is refused (${file}, ${count} ${count === 1 ? 'fault' : 'faults'}):`,
    ...loaded.faults.map((fault) => `  ${fault}`),
  ]);
}

/** For a command that works on servers: embedded drivers are the memory of another process. */
export function readServerConfig(command: Command, what: string): ReadConfig {
  const read = readConfig(command, []);
  if (read.config.drivers === 'servers') return read;
  throw new CommandFault(exitCodes.badConfig, [
    `${what}: drivers is ${read.config.drivers}, so there are no servers to work on; what roles of ` +
      'such a process know, no other process can see',
  ]);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .map(({ address }) => address);
}
