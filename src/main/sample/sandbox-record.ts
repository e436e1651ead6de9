/** Reads the sandbox's own record of what arrived, over its control interface. */
import { z } from 'zod';
import { displayRoutes } from '../../domain/events/displays.ts';
import type { Arrived } from './compare-events.ts';
import type { SampleDestination } from './expected-events.ts';

const receivedPage = z.object({
  rooms: z.array(
    z.object({
      app_code: z.string(),
      room_id: z.string(),
      events: z.array(
        z.object({
          event_id: z.string(),
          type: z.string(),
          notifications: z.int(),
          different: z.int(),
        }),
      ),
    }),
  ),
});
const rtcPage = z.object({
  removals: z.array(z.object({ room_id: z.string(), user_id: z.string() })),
});
const groupsPage = z.object({ groups: z.array(z.object({ group_id: z.string() })) });
const requestTimeoutMs = 5_000;

/**
 * What one destination got of one room so far, without what is only shown: nobody is promised that.
 * Throws when the sandbox cannot be asked.
 */
export async function readArrived(
  controlUrl: string,
  destination: SampleDestination,
  room: { readonly appCode: string; readonly roomId: string; readonly groupId: string },
): Promise<Arrived> {
  if (destination === 'rtc') {
    const { removals } = rtcPage.parse(await getJson(`${controlUrl}/sandbox/rtc`));
    const own = removals.filter(({ room_id }) => room_id === room.roomId);
    return { events: [], groupExists: false, removedUsers: own.map(({ user_id }) => user_id) };
  }
  const page = receivedPage.parse(
    await getJson(`${controlUrl}/sandbox/received?destination=${destination}`),
  );
  const { groups } = groupsPage.parse(await getJson(`${controlUrl}/sandbox/groups`));
  const own = page.rooms.find(
    ({ app_code, room_id }) => app_code === room.appCode && room_id === room.roomId,
  );
  const promised = (own?.events ?? []).filter(({ type }) => !Object.hasOwn(displayRoutes, type));
  return {
    events: promised.map(({ event_id: eventId, type, notifications, different }) => ({
      eventId,
      type,
      notifications,
      different,
    })),
    removedUsers: [],
    groupExists: groups.some(({ group_id }) => group_id === room.groupId),
  };
}

const balancesPage = z.object({
  opening_coins: z.string(),
  balances: z.array(z.object({ app_code: z.string(), user_id: z.string(), coins: z.string() })),
});

/** What a user has by the wallet's own books. Throws when the sandbox cannot be asked. */
export async function readCoins(
  controlUrl: string,
  user: { readonly appCode: string; readonly userId: string },
): Promise<bigint> {
  const page = balancesPage.parse(await getJson(`${controlUrl}/sandbox/wallet/balances`));
  const own = page.balances.find(
    ({ app_code, user_id }) => app_code === user.appCode && user_id === user.userId,
  );
  return BigInt(own?.coins ?? page.opening_coins);
}

/** Orders a fault at the sandbox. */
export async function orderFault(
  controlUrl: string,
  fault: Readonly<Record<string, unknown>>,
): Promise<void> {
  const response = await fetch(`${controlUrl}/sandbox/faults`, {
    method: 'POST',
    body: JSON.stringify(fault),
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  if (!response.ok) throw new Error(`the sandbox refused the fault: ${await response.text()}`);
}

async function getJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(requestTimeoutMs) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}
