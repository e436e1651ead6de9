/** Clock and timers that move only when a test says so. */
import { settled, VirtualTime } from '../../src/drivers/memory/virtual-time.ts';

export { settled };

/** Both clocks show the same time, from 0. */
export class ManualTime extends VirtualTime {}
