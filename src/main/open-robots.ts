/** What a cell needs to play robots; nothing where they are not enabled (NEW-11). */
import type { CommandSink } from '../ports/command-sink.ts';
import type { RobotPool } from '../ports/robot-pool.ts';
import type { Resources } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** The pool, and the commands topic as a gateway writes it. */
export interface OpenRobots {
  readonly robots?: { readonly pool: RobotPool; readonly sink: CommandSink };
}

/** Connects when the sink is started. */
export function openRobots(
  { config, drivers, driverPorts }: WiringContext,
  resources: Resources,
): OpenRobots {
  if (!config.robots.enabled) return {};
  const sink = drivers.commandSink(driverPorts);
  resources.add('sink of robots', () => sink.stop());
  return { robots: { pool: drivers.stores.robotPool, sink } };
}
