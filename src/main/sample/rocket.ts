/** The rocket of the sample room: three gifts fill it, and the room launches it by itself. */
import {
  RocketStatus,
  type CommandResult,
} from '../../drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { expect, StoryFault, tellRead } from './stage.ts';
import type { Stage } from './stage.ts';

/** As `rocket_at_start` takes it: what three gifts of the story cost together, and a short countdown. */
export const sampleRocket = 'demo/round/carry=70:1500:badge';

const pollMs = 100;
const pollsMax = 300;

/**
 * The gift reached the target, and its own answer shows that; resolves when the room has launched.
 * `version` is the launch's.
 */
export async function waitForLaunch(
  stage: Stage,
  gift: CommandResult,
  version: bigint,
): Promise<void> {
  const { scene, timers } = stage;
  const rocket = gift.snapshot?.rocket;
  if (rocket === undefined) throw new StoryFault('the answer of the last gift shows no rocket');
  const { status, fuel, fuelTarget } = rocket;
  expect(status === RocketStatus.IGNITED, 'the third gift did not ignite the rocket');
  expect(fuel === fuelTarget, `the ignited rocket shows ${fuel} of ${fuelTarget}`);
  await tellRead(stage, 'bob’s gift ignites the rocket', `round 1, ${fuel} of ${fuelTarget}`);
  for (let polls = 0; polls < pollsMax; polls += 1) {
    const { snapshot } = await scene.queries.getRoomSnapshot(
      { appCode: scene.appCode, roomId: scene.roomId },
      scene.by('bob'),
    );
    if (snapshot?.rocket?.roundNo === 2n) {
      expect(snapshot.rocket.fuel === 0n, 'the next round does not begin empty');
      return stage.tell({
        what: 'the room launches its rocket, and opens round 2',
        commandId: `sys:rocket-launch:${version}`,
        ended: 'launched',
        version: snapshot.roomVersion,
      });
    }
    await timers.sleep(pollMs);
  }
  throw new StoryFault(`the rocket was not launched within ${pollsMax * pollMs} ms`);
}
