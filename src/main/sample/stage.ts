/** What a scene of the sample room is played on, and what all scenes do: one step, told as it went. */
import type { CommandResult } from '../../drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import type { Timers } from '../../ports/timers.ts';
import type { SampleUser, Scene } from './scene.ts';

/** Something in the story was not as it must be. */
export class StoryFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoryFault';
  }
}

/** One step as it went, for the teller. */
export interface StoryStep {
  readonly what: string;
  /** Command whose stage times belong to it; null for reads. */
  readonly commandId: string | null;
  readonly ended: string;
  readonly version: bigint | null;
}

/** What the story is played with. */
export interface Stage {
  readonly scene: Scene;
  readonly timers: Timers;
  /** Coins of a user by the wallet's own books. */
  readonly coinsOf: (user: SampleUser) => Promise<bigint>;
  readonly tell: (step: StoryStep) => Promise<void>;
}

/** A command with the meta and in the name that it is given. */
export type Call = (
  meta: ReturnType<Scene['meta']>,
  call: ReturnType<Scene['by']>,
) => Promise<CommandResult>;

/** A command that must be applied for the first time and make this version. Throws StoryFault. */
export async function step(
  stage: Stage,
  user: SampleUser,
  command: string,
  commandId: string,
  version: bigint,
  call: Call,
): Promise<CommandResult> {
  const { scene } = stage;
  const result = await call(scene.meta(commandId), scene.by(user));
  expect(result.applied && !result.replayed, `${commandId} was not applied for the first time`);
  expect(
    result.roomVersion === version,
    `${commandId} made version ${result.roomVersion}, not ${version}`,
  );
  const what = `${command} by ${user}`;
  await stage.tell({ what, commandId, ended: 'applied', version: result.roomVersion });
  return result;
}

/** JoinRoom under its own name, or under the one given. */
export async function join(
  stage: Stage,
  user: 'alice' | 'bob',
  version: bigint,
  commandId = `join-${user}`,
): Promise<void> {
  const result = await step(stage, user, 'JoinRoom', commandId, version, (meta, call) =>
    stage.scene.commands.joinRoom({ meta, profile: { nickname: user, countryCode: 'DE' } }, call),
  );
  expect(result.user?.userId === user, `JoinRoom answered for ${result.user?.userId ?? 'nobody'}`);
}

/** Tells a step that made no version. */
export function tellRead(stage: Stage, what: string, ended: string): Promise<void> {
  return stage.tell({ what, commandId: null, ended, version: null });
}

/** Throws StoryFault with the sentence unless it holds. */
export function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new StoryFault(otherwise);
}
