/** Busy answers, as a caller of good manners takes them: a short pause, then the same id again. */
import { GrpcCallError } from '../src/drivers/grpc/grpc-client.ts';
import type { Timers } from '../src/ports/timers.ts';

/** Pause before a call that the service was too busy for is sent again. */
const busyPauseMs = 20;
const busyReasons = ['GATEWAY_BUSY', 'ROOM_BUSY', 'OWNER_BUSY'];

/** Sends until the service takes the call; throws what is no busy answer. */
export async function sendUntilTaken(call: () => Promise<unknown>, timers: Timers): Promise<void> {
  for (;;) {
    try {
      await call();
      return;
    } catch (error) {
      if (!(error instanceof GrpcCallError) || !busyReasons.includes(error.failure.reason)) {
        throw error;
      }
      await timers.sleep(busyPauseMs);
    }
  }
}
