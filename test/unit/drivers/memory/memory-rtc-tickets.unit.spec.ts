/** The twin of the RTC tickets keeps the contract. */
import { MemoryRtcTickets } from '../../../../src/drivers/memory/memory-rtc-tickets.ts';
import {
  rtcTicketsContract,
  type ReadTicket,
} from '../../../contract/suites/rtc-tickets-contract.ts';

const sdkAppIds = new Map([
  ['app1', 1],
  ['app2', 2],
]);

rtcTicketsContract('memory', () => ({
  here: new MemoryRtcTickets(sdkAppIds),
  there: new MemoryRtcTickets(new Map(sdkAppIds)),
  read(ticket, appCode, nowSeconds) {
    const { issuedAtSeconds: _, ...read } = JSON.parse(ticket.privateMapKey) as ReadTicket & {
      issuedAtSeconds: number;
    };
    const isGood = read.sdkAppId === sdkAppIds.get(appCode) && nowSeconds < read.expiresAtSeconds;
    return isGood ? read : null;
  },
}));
