/**
 * The sample room from its creation to its end, through the real path: two people join, one becomes
 * an admin and speaks, one takes a seat and never publishes, is kicked and comes back, an answer is
 * asked for twice. Each step says what it expects and throws StoryFault when it gets something else.
 */
import { CommandState } from '../../drivers/grpc/generated/roomcell/v1/room_queries_pb.ts';
import {
  RoomMode,
  SeatState,
  type CommandResult,
} from '../../drivers/grpc/generated/roomcell/v1/room_types_pb.ts';
import { showBoards } from './boards.ts';
import { giveClover, giveRoses, giveRosesToTwo } from './gifts.ts';
import { chooseAdmin, kickAndUnban, lockAndOpenSeat } from './managers.ts';
import { waitForLaunch } from './rocket.ts';
import { expect, join, step, StoryFault, tellRead } from './stage.ts';
import type { Stage } from './stage.ts';

const seatCount = 4;
const timeoutPollMs = 100;
const timeoutPollsMax = 300;

/** Plays it. */
export async function playStory(stage: Stage): Promise<void> {
  const { commands } = stage.scene;
  // 1. A room and two people in it.
  await step(stage, 'host', 'CreateRoom', 'create-room', 1n, (meta, call) =>
    commands.createRoom(
      { meta, title: 'Evening talk', seatCount, mode: RoomMode.FREE, visibleRegionId: 1n },
      call,
    ),
  );
  await join(stage, 'alice', 2n);
  await join(stage, 'bob', 3n);
  for (const user of ['alice', 'bob'] as const) {
    await commands.roomHeartbeat({ meta: stage.scene.meta('') }, stage.scene.by(user));
    await tellRead(stage, `RoomHeartbeat by ${user}`, 'taken; leaves no log row');
  }
  await chooseAdmin(stage);
  // 2. Alice speaks; her MicUp is sent twice, and then she moves.
  const micUp = await micUpBy(stage, 'alice', 1, 6n);
  await confirm(stage, micUp, 'confirm-alice', 7n);
  await repeatMicUp(stage, micUp);
  await changeSeat(stage, micUp);
  // 3. Bob pays for a gift, once, although he asks twice.
  await giveRoses(stage);
  // 4. Bob takes a seat and never publishes: the room itself takes him down.
  await lockAndOpenSeat(stage, 1);
  const silent = await micUpBy(stage, 'bob', 0, 13n);
  await waitForPublishTimeout(stage, silent.seatNo);
  await kickAndUnban(stage);
  // 5. A gift to two people is one debit; a lucky one draws, and fills the room's rocket.
  await giveRosesToTwo(stage, 18n);
  const lastGift = await giveClover(stage, 19n);
  await waitForLaunch(stage, lastGift, 20n);
  await showBoards(stage, 70n);
  // 6. Everybody goes; what happened can be asked for.
  await step(stage, 'alice', 'MicDown', 'mic-down-alice', 21n, (meta, call) =>
    commands.micDown({ meta }, call),
  );
  await step(stage, 'bob', 'LeaveRoom', 'leave-bob', 22n, (meta, call) =>
    commands.leaveRoom({ meta }, call),
  );
  await listRooms(stage);
  await askForCommand(stage);
  await step(stage, 'host', 'CloseRoom', 'close-room', 23n, (meta, call) =>
    commands.closeRoom({ meta, reason: 'the evening is over' }, call),
  );
}

function micUpBy(
  stage: Stage,
  user: 'alice' | 'bob',
  seatNo: number,
  version: bigint,
): Promise<CommandResult> {
  return step(stage, user, 'MicUp', `mic-up-${user}`, version, (meta, call) =>
    stage.scene.commands.micUp({ meta, seatNo }, call),
  );
}

function confirm(
  stage: Stage,
  { micSessionId }: CommandResult,
  commandId: string,
  version: bigint,
): Promise<CommandResult> {
  return step(stage, 'alice', 'ConfirmMicPublishing', commandId, version, (meta, call) =>
    stage.scene.commands.confirmMicPublishing({ meta, micSessionId }, call),
  );
}

/** The session stays the same, so that a client need not stop and begin to publish (MIC-10). */
async function changeSeat(stage: Stage, micUp: CommandResult): Promise<void> {
  const { scene } = stage;
  const { micSessionId } = micUp;
  const moved = await step(stage, 'alice', 'ChangeMicSeat', 'seat-2-alice', 8n, (meta, call) =>
    scene.commands.changeMicSeat({ meta, toSeatNo: 2 }, call),
  );
  expect(moved.micSessionId === micSessionId, 'ChangeMicSeat began another session');
  await confirm(stage, moved, 'confirm-seat-2', 9n);
  const beat = { meta: scene.meta(''), micSessionId };
  const { micHeartbeatAtMs } = await scene.commands.micHeartbeat(beat, scene.by('alice'));
  expect(micHeartbeatAtMs > 0n, 'MicHeartbeat does not say when the room heard it');
  await tellRead(stage, 'MicHeartbeat by alice', 'taken; leaves no log row');
}

/** A repeated id gets the stored answer, and the room stays as it is (INV-4). */
async function repeatMicUp(stage: Stage, first: CommandResult): Promise<void> {
  const { scene } = stage;
  const again = await scene.commands.micUp(
    { meta: scene.meta('mic-up-alice'), seatNo: 1 },
    scene.by('alice'),
  );
  expect(again.replayed, 'the repeated MicUp was not answered from the log');
  expect(
    again.roomVersion === first.roomVersion && again.micSessionId === first.micSessionId,
    'the repeated MicUp got another answer than the first',
  );
  await stage.tell({
    what: 'MicUp by alice, the same command_id',
    commandId: null,
    ended: 'replayed: the stored answer',
    version: again.roomVersion,
  });
}

async function waitForPublishTimeout(stage: Stage, seatNo: number): Promise<void> {
  const { scene, timers } = stage;
  for (let polls = 0; polls < timeoutPollsMax; polls += 1) {
    const { snapshot } = await scene.queries.getRoomSnapshot(
      { appCode: scene.appCode, roomId: scene.roomId },
      scene.by('bob'),
    );
    const seat = snapshot?.seats.find((candidate) => candidate.seatNo === seatNo);
    if (seat?.state === SeatState.IDLE) {
      return stage.tell({
        what: `bob never publishes; the room frees seat ${seatNo}`,
        commandId: 'sys:mic-publish-timeout:14',
        ended: 'publish timeout',
        version: snapshot?.roomVersion ?? null,
      });
    }
    await timers.sleep(timeoutPollMs);
  }
  throw new StoryFault(`seat ${seatNo} was not freed within ${timeoutPollsMax * timeoutPollMs} ms`);
}

async function listRooms(stage: Stage): Promise<void> {
  const { scene } = stage;
  const page = await scene.queries.listRooms({ appCode: scene.appCode }, scene.by('alice'));
  const entry = page.rooms.find(({ roomId }) => roomId === scene.roomId);
  expect(entry !== undefined, 'ListRooms does not show the room');
  expect(entry?.onlineCount === 1, `ListRooms shows ${entry?.onlineCount} people instead of 1`);
  await tellRead(stage, 'ListRooms by alice', `shows "${entry?.title}" with 1 person in it`);
}

async function askForCommand(stage: Stage): Promise<void> {
  const { scene } = stage;
  const answer = await scene.queries.getCommand(
    { appCode: scene.appCode, roomId: scene.roomId, commandId: 'leave-bob' },
    scene.by('bob'),
  );
  expect(answer.state === CommandState.APPLIED, 'GetCommand does not say that leave-bob applied');
  expect(
    answer.result?.roomVersion === 22n,
    `GetCommand says that leave-bob made version ${answer.result?.roomVersion}`,
  );
  await tellRead(stage, 'GetCommand(leave-bob) by bob', 'applied, version 22');
}
