/** INV-2: a command id occurs at most once in a room's log, and so does a version. */
import type { Checker, CheckerFactory } from './checker.ts';
import { Cursor, readingOf } from './world-reading.ts';

/** Makes it; see the file header. */
export const uniqueRows: CheckerFactory = (world, report): Checker => {
  const reading = readingOf(world);
  const changes = new Cursor(reading.log);
  /** Keys of the rows that have an id, and those that have a version. */
  const byId = new Map<string, string>();
  const byVersion = new Map<string, string>();

  const look = (): void => {
    for (const { key, before, after } of changes.fresh()) {
      if (before !== undefined) {
        const room = `${before.appCode}\0${before.roomId}`;
        byId.delete(`${room}\0${before.commandId}`);
        byVersion.delete(`${room}\0${before.appliedVersion}`);
      }
      if (after === undefined) continue;
      const { appCode, roomId, commandId, appliedVersion, epoch, kafkaOffset } = after;
      const room = `${appCode}\0${roomId}`;
      const at = `epoch ${epoch}, offset ${kafkaOffset}`;
      if (before !== undefined || byId.has(`${room}\0${commandId}`)) {
        const text = `${commandId} was stored a second time (${at})`;
        report({ invariant: 'INV-2', text, room: { appCode, roomId } });
      }
      byId.set(`${room}\0${commandId}`, key);
      if (appliedVersion === null) continue;
      const other = byVersion.get(`${room}\0${appliedVersion}`);
      if (other !== undefined) {
        const first = other.split('\0').at(-1) ?? '';
        const text = `version ${appliedVersion} was made twice: by ${first} and by ${commandId} (${at})`;
        report({ invariant: 'INV-2', text, room: { appCode, roomId } });
      }
      byVersion.set(`${room}\0${appliedVersion}`, key);
    }
  };
  return { invariants: ['INV-2'], observe: look, atEnd: look };
};
