/** The ways from one process to the servers, each through a proxy of its own. */
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import type { Dependency } from '../plan/fault-kinds.ts';

/** Where the servers listen. */
export interface ServerPlaces {
  /** Of the broker: the door of this process. */
  readonly kafkaPort: number;
  readonly mysql: { readonly host: string; readonly port: number };
  readonly redis: { readonly host: string; readonly port: number };
  readonly walletPort: number;
}

/** See the file header. */
export type Links = Readonly<Record<Dependency, TcpProxy>>;

/** Opens the ways; the one to the broker is opened before the broker is, see `openDoor`. */
export async function openLinks(kafka: TcpProxy, places: ServerPlaces): Promise<Links> {
  const { mysql, redis, walletPort } = places;
  return {
    kafka,
    mysql: await startTcpProxy({ targetPort: mysql.port, targetHost: mysql.host }),
    redis: await startTcpProxy({ targetPort: redis.port, targetHost: redis.host }),
    wallet: await startTcpProxy({ targetPort: walletPort }),
  };
}

/** Configuration that leads a process through its links. */
export function envOfLinks({ kafka, mysql, redis, wallet }: Links): Record<string, string> {
  return {
    ROOMCELL_KAFKA_BROKERS: `127.0.0.1:${kafka.port}`,
    ROOMCELL_MYSQL_HOST: '127.0.0.1',
    ROOMCELL_MYSQL_PORT: String(mysql.port),
    ROOMCELL_REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    ROOMCELL_WALLET_ADDR: `127.0.0.1:${wallet.port}`,
    ROOMCELL_LUCKY_GIFT_ADDR: `127.0.0.1:${wallet.port}`,
  };
}

/** Ends whatever was done to the links. */
export async function healLinks(links: Links): Promise<void> {
  for (const link of Object.values(links)) {
    link.setMode({ kind: 'pass' });
    await link.accept();
  }
}

/** Closes all of them. */
export async function closeLinks(links: Links): Promise<void> {
  await Promise.all(Object.values(links).map((link) => link.close()));
}
