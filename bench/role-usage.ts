/** What a role's process has used so far, as its own `/metrics` say. */

/** One look at one process. */
export interface RoleUsage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Live and not yet collected objects that have survived: the least of several looks is what lives. */
  readonly oldSpaceBytes: number;
}

/** Asks the process that serves its metrics at `opsAddress`. */
export async function readUsage(opsAddress: string): Promise<RoleUsage> {
  const response = await fetch(`http://${opsAddress}/metrics`);
  return usageOf(await response.text());
}

/** Reads the text format of Prometheus. */
export function usageOf(text: string): RoleUsage {
  const valueOf = (name: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  };
  return {
    cpuSeconds: valueOf('process_cpu_seconds_total'),
    residentBytes: valueOf('process_resident_memory_bytes'),
    oldSpaceBytes: valueOf('nodejs_heap_space_size_used_bytes{space="old"}'),
  };
}
