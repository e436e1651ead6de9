/** The twins of log, metrics and trace keep the contracts, within their bounds. */
import { describe, expect, it } from 'vitest';
import { MemoryLogSink } from '../../../../src/drivers/memory/memory-log-sink.ts';
import { MemoryMetrics } from '../../../../src/drivers/memory/memory-metrics.ts';
import { MemoryTrace } from '../../../../src/drivers/memory/memory-trace.ts';
import { logContract } from '../../../contract/suites/log-contract.ts';
import { metricsContract } from '../../../contract/suites/metrics-contract.ts';
import { traceContract } from '../../../contract/suites/trace-contract.ts';

logContract('memory', () => {
  const sink = new MemoryLogSink();
  return { log: sink.log(), lines: () => sink.lines };
});

metricsContract('memory', () => {
  const metrics = new MemoryMetrics();
  return {
    metrics,
    read(name, labels) {
      if (name.endsWith('_total')) return Promise.resolve(metrics.sumOf(name, labels));
      if (!name.endsWith('_ms')) return Promise.resolve(metrics.gaugeOf(name, labels));
      const { count, sumMs } = metrics.durationsOf(name, labels);
      return Promise.resolve([count, sumMs]);
    },
    faults: () => Promise.resolve(metrics.faults),
  };
});

traceContract('memory', () => {
  const trace = new MemoryTrace();
  return { trace, passed: (point) => trace.passed(point) };
});

describe('the log twin', () => {
  it('keeps the newest lines, and counts what had to make room', () => {
    const sink = new MemoryLogSink(3);
    const log = sink.log({ node: 'n1' });
    for (let line = 1; line <= 8; line += 1) log.info({ line }, 'x');
    expect(sink.lines.map(({ fields }) => fields)).toEqual(
      [6, 7, 8].map((line) => ({ node: 'n1', line })),
    );
    expect(sink.droppedLines).toBe(5);
  });
});

describe('the metrics twin', () => {
  it('sums over all labels when none are named', () => {
    const metrics = new MemoryMetrics();
    metrics.count('calls_total', { outcome: 'ok', role: 'cell' }, 2);
    metrics.count('calls_total', { role: 'cell', outcome: 'ok' }, 3);
    metrics.count('calls_total', { outcome: 'bad', role: 'cell' });
    expect(metrics.sumOf('calls_total')).toBe(6);
    expect(metrics.sumOf('calls_total', { role: 'cell', outcome: 'ok' })).toBe(5);
    expect(metrics.sumOf('never_total')).toBe(0);
    expect(metrics.gaugeOf('never')).toBeNull();
    expect(metrics.durationsOf('never_ms')).toEqual({ count: 0, sumMs: 0 });
  });

  it('has an end to its series', () => {
    const metrics = new MemoryMetrics();
    for (let id = 0; id < 10_005; id += 1) metrics.count('calls_total', { id: String(id) });
    expect(metrics.sumOf('calls_total')).toBe(10_000);
    expect(metrics.faults).toBe(5);
  });
});

describe('the trace twin', () => {
  it('does what is ordered at a point, with how often it was passed, until that ends', () => {
    const trace = new MemoryTrace();
    const passes: number[] = [];
    trace.at('relay.after_claim');
    trace.order('relay.after_claim', (nth) => {
      passes.push(nth);
      if (nth === 3) throw new Error('crash');
    });
    trace.at('relay.after_publish');
    trace.at('relay.after_claim');
    expect(() => trace.at('relay.after_claim')).toThrow('crash');
    trace.order('relay.after_claim', null);
    trace.at('relay.after_claim');
    expect(passes).toEqual([2, 3]);
    expect(trace.passed('relay.after_claim')).toBe(4);
  });
});
