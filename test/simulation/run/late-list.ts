/** Whether the copied list of rooms shows what MySQL has, at rest (INV-46). */
import { listedText } from '../checkers/listed-text.ts';
import { appCodes } from '../plan/config-of.ts';
import type { World } from '../world/world.ts';

/** What the copy does not show as it is; null: nothing, or nobody copies. */
export function lateList(world: World): string | null {
  if (world.options.listCopy !== true) return null;
  for (const appCode of appCodes) {
    const rows = world.database.listEntries.rowsBy('app', appCode);
    if (rows.length === 0) continue;
    const copy = world.listCopy(appCode);
    if (copy?.isReady !== true) return `the copied list of ${appCode} is not ready`;
    const stored = new Map(rows.map((row) => [row.roomId as string, listedText(row)]));
    for (const roomId of new Set([...stored.keys(), ...copy.rooms.keys()])) {
      const shown = listedText(copy.rooms.get(roomId)?.entry ?? null);
      const has = stored.get(roomId) ?? listedText(null);
      if (shown !== has) return `${roomId} of ${appCode} is listed as ${shown}, and is ${has}`;
    }
  }
  return null;
}
