/** What a person needs to go on by hand: addresses, a token, and how to end. */
import { issueDevelopmentToken } from '../../src/drivers/jwt/development-token.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { SampleEnv } from './sample-env.ts';

const tokenTtlMs = 24 * 3_600_000;

/** Prints them. */
export async function printAddresses(
  sample: SampleEnv,
  appCode: string,
  clock: Clock,
): Promise<void> {
  const caller = { appCode, subject: 'alice', role: 'user' as const };
  const token = await issueDevelopmentToken(sample.jwtSecret, caller, tokenTtlMs, clock);
  console.log(`
serving until Ctrl-C
  gRPC                ${sample.grpcAddress}  (reflection on)
  health and metrics  http://${sample.opsAddress}/livez /readyz /metrics
  sandbox             http://${sample.controlAddress}/sandbox/received?destination=im
  token of alice      ${token}`);
}
