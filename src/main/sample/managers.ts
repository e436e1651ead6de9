/** The scenes of the sample room's managers: its host makes an admin, who looks after the room. */
import { GrpcCallError } from '../../drivers/grpc/grpc-client.ts';
import { expect, join, step, StoryFault, tellRead } from './stage.ts';
import type { Stage } from './stage.ts';

const announcement = 'Please be kind.';

/** Versions 4 and 5: alice becomes an admin, and says what the room is about. */
export async function chooseAdmin(stage: Stage): Promise<void> {
  const { commands } = stage.scene;
  await step(stage, 'host', 'SetAdmin(alice)', 'admin-alice', 4n, (meta, call) =>
    commands.setAdmin({ meta, userId: 'alice', isAdmin: true }, call),
  );
  const result = await step(stage, 'alice', 'UpdateRoomProfile', 'announce', 5n, (meta, call) =>
    commands.updateRoomProfile({ meta, announcement }, call),
  );
  const { snapshot } = result;
  expect(snapshot?.announcement === announcement, 'the view does not show the announcement');
  expect(snapshot?.title === 'Evening talk', 'a title that nobody named was changed');
}

/** Versions 11 and 12: a seat is locked, and open again. */
export async function lockAndOpenSeat(stage: Stage, seatNo: number): Promise<void> {
  for (const [locked, version] of [
    [true, 11n],
    [false, 12n],
  ] as const) {
    const commandId = locked ? 'lock-seat' : 'open-seat';
    const what = `SetMicSeatLock(${seatNo}, ${locked})`;
    const result = await step(stage, 'alice', what, commandId, version, (meta, call) =>
      stage.scene.commands.setMicSeatLock({ meta, seatNo, locked }, call),
    );
    const seat = result.snapshot?.seats.find((candidate) => candidate.seatNo === seatNo);
    expect(seat?.locked === locked, `the view shows locked = ${seat?.locked} of seat ${seatNo}`);
  }
}

/** Versions 15 to 17: bob is kicked, stays out while he is banned, and comes back when he is not. */
export async function kickAndUnban(stage: Stage): Promise<void> {
  const { commands } = stage.scene;
  await step(stage, 'alice', 'KickUser(bob)', 'kick-bob', 15n, (meta, call) =>
    commands.kickUser({ meta, userId: 'bob', reason: 'takes seats and says nothing' }, call),
  );
  await refusedJoin(stage);
  await step(stage, 'alice', 'UnbanUser(bob)', 'unban-bob', 16n, (meta, call) =>
    commands.unbanUser({ meta, userId: 'bob' }, call),
  );
  await join(stage, 'bob', 17n, 'join-bob-again');
}

/** A banned user hears why, and the room stays as it is. */
async function refusedJoin(stage: Stage): Promise<void> {
  const { scene } = stage;
  try {
    await scene.commands.joinRoom({ meta: scene.meta('join-bob-banned') }, scene.by('bob'));
  } catch (error) {
    if (!(error instanceof GrpcCallError)) throw error;
    const { reason } = error.failure;
    expect(reason === 'USER_BANNED', `a banned user was refused as ${reason}`);
    return tellRead(stage, 'JoinRoom by bob, who is banned', 'refused: USER_BANNED');
  }
  throw new StoryFault('a banned user was let in');
}
