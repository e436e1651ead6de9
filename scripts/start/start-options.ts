/** The command line of `npm start`. */
import { parseArgs } from 'node:util';
import { parseDuration } from '../../src/kernel/duration.ts';
import { roleNames } from '../../src/main/role.ts';

/** What to do. */
export interface StartOptions {
  /** Play the sample room, say whether everything arrived, and end. */
  readonly once: boolean;
  /** Roles to leave out: shows that the sample room notices. */
  readonly without: readonly string[];
  /** Let one event be refused for good on its way: shows the same. */
  readonly loseOneEvent: boolean;
  /** Longest wait for the events to arrive. */
  readonly waitMs: number;
}

/** Help for people. */
export const startHelp = `npm start [-- options]

Starts Kafka, MySQL and Redis where needed (or none, with ROOMCELL_STACK=embedded), every role of
roomcell, plays a sample room through the real path, compares what arrived at the sandbox with
config/sample-room.expected.json, and keeps serving until Ctrl-C.

  --once             end after the sample room: exit code 0 when everything arrived, else 1
  --wait <duration>  longest wait for the events to arrive (default 30s)
  --without <role>   leave a role out (may be repeated), to see the sample room fail
  --lose-one-event   let the sandbox refuse one message for good, to see the sample room fail
  --help             this text`;

/** Reads the arguments; answers a sentence when they cannot be understood. */
export function readStartOptions(
  args: readonly string[],
): StartOptions | 'help' | { fault: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        without: { type: 'string', multiple: true, default: [] },
        'lose-one-event': { type: 'boolean', default: false },
        wait: { type: 'string', default: '30s' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const wait = parseDuration(values.wait);
    if (wait.kind === 'fault') return { fault: `--wait: ${wait.fault}` };
    const without = values.without.flatMap((names) => names.split(','));
    const unknown = without.find((name) => !(roleNames as readonly string[]).includes(name));
    if (unknown !== undefined) {
      return { fault: `--without: ${unknown} is none of ${roleNames.join(', ')}` };
    }
    return {
      once: values.once,
      without,
      loseOneEvent: values['lose-one-event'],
      waitMs: wait.ms,
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
