/** Gathers the record of a run when everything stands still. */
import { topicNames } from '../../../src/protocol/topics.ts';
import type { IngestRequest } from '../../../src/drivers/grpc/generated/roomcell/v1/activity_pb.ts';
import { walletAccounts, walletRecord } from '../../e2e/support/observe.ts';
import { fleetApp } from '../../e2e/support/fleet.ts';
import type { History } from '../clients/history.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { partitionCount } from '../run/run-options.ts';
import type { AppendedRecord, ChaosRecord, WalletBooks } from './chaos-record.ts';
import type { DatabaseView } from './database-view.ts';
import type { OwnerWatch } from './owner-watch.ts';
import { readTopics } from './read-topics.ts';

type Arrival = ChaosRecord['arrivals'][number];

/** See the file header. */
export async function collect(
  deployment: Deployment,
  view: DatabaseView,
  { samples }: OwnerWatch,
  { observations }: History,
): Promise<ChaosRecord> {
  const topics = topicNames(deployment.fleet.space.topic('room'));
  const { directBrokers } = deployment.servers.broker;
  const [commands, others] = await Promise.all([
    readTopics(directBrokers, [topics.commands]),
    readTopics(directBrokers, [topics.replies, ...Object.values(topics.events)]),
  ]);
  return {
    partitionCount,
    commandsTopic: topics.commands,
    tables: await view.everything(),
    commands: byPartition(commands),
    others,
    history: observations,
    samples,
    arrivals: [
      ...deployment.taps.im.flatMap(imArrival),
      ...deployment.taps.activity.map(activityArrival),
    ],
    wallet: await walletBooks(deployment),
  };
}

function byPartition(records: readonly AppendedRecord[]): readonly (readonly AppendedRecord[])[] {
  return Array.from({ length: partitionCount }, (_, at) =>
    records
      .filter(({ partition }) => partition === at)
      .sort((one, other) => Number(one.offset - other.offset)),
  );
}

/** A room event in the request's message; requests about groups carry none. */
function imArrival(body: string): readonly Arrival[] {
  const { MsgBody = [] } = JSON.parse(body) as {
    readonly MsgBody?: readonly { readonly MsgContent?: { readonly Data?: unknown } }[];
  };
  return MsgBody.flatMap(({ MsgContent }): readonly Arrival[] => {
    const data = MsgContent?.Data;
    if (typeof data !== 'string') return [];
    const event = JSON.parse(data) as Readonly<Record<string, unknown>>;
    const [appCode, roomId, eventId] = ['app_code', 'room_id', 'event_id'].map((name) =>
      String(event[name]),
    ) as [string, string, string];
    const bytes = Buffer.from(data);
    return [{ kind: 'arrived', atMs: 0, destination: 'im', appCode, roomId, eventId, bytes }];
  });
}

function activityArrival({ appCode, roomId, eventId, envelope: bytes }: IngestRequest): Arrival {
  return { kind: 'arrived', atMs: 0, destination: 'activity', appCode, roomId, eventId, bytes };
}

async function walletBooks({ fleet }: Deployment): Promise<WalletBooks> {
  const { entries, keys } = await walletRecord(fleet);
  const accounts = await walletAccounts(fleet);
  return {
    entries: entries.map(({ kind, key, user_id: userId, coins }) => {
      return { kind, appCode: fleetApp, key, userId, coins: BigInt(coins) };
    }),
    voidedKeys: keys
      .filter(({ state }) => state === 'voided')
      .map(({ app_code: appCode, key }) => ({ appCode, key })),
    accounts: accounts.map((account) => ({
      appCode: fleetApp,
      userId: account.user_id,
      openingCoins: BigInt(account.opening_coins),
      adjustedCoins: BigInt(account.adjusted_coins),
      coins: BigInt(account.coins),
      incomeCoins: BigInt(account.income_coins),
    })),
  };
}
