/** Role `adapter-activity`: room events to the activity service. */
import { createActivitySender } from '../adapters/activity/activity-adapter.ts';
import type { Role } from './role.ts';
import { runningAdapter } from './running-adapter.ts';
import { stagedRole } from './staged-role.ts';
import type { WiringContext } from './wiring-context.ts';

/** Makes the role. */
export function wireAdapterActivity(process: WiringContext): Role {
  const context = process.forRole('adapter-activity');
  const { log, timers } = context;
  return stagedRole({
    name: 'adapter-activity',
    log,
    timers,
    async prepare(waiting, resources) {
      await context.foundation.ready(waiting);
      const client = context.outside.activity();
      resources.add('activity connection', () => client.stop());
      const scheduler = context.drivers.rocketScheduler(context.driverPorts);
      resources.add('rocket scheduler', () => scheduler.stop());
      const sender = createActivitySender(client);
      return runningAdapter(context, 'adapter-activity', sender, scheduler);
    },
  });
}
