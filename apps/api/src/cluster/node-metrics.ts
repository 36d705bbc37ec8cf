import type { Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { type ProcessMetrics, sendTo } from './cluster-messages.js';

/** The time limit for a worker to report its metrics. For a late worker, a scrape shows the previous values. */
const REPORT_MS = 1000;
/** The types of metrics whose values never decrease. */
const COUNTS = ['counter', 'histogram', 'summary'];

/** Registers the count of workers that ended unexpectedly or did not start. Only the primary increases the count. */
export function crashCounter(registry: Registry): Counter {
  return new Counter({
    name: 'passwright_worker_crashes_total',
    help: 'Workers of this node that ended unexpectedly, or before they were ready.',
    registers: [registry],
  });
}

/** Registers the gauge of serving processes. Only the primary sets it, to the number of workers that respond. */
export function workersGauge(registry: Registry): Gauge {
  return new Gauge({
    name: 'passwright_workers',
    help: 'Processes of this node that serve and respond.',
    registers: [registry],
  });
}

/** Combines the metrics of several processes, each metric by its `aggregator`. The default is the sum. */
export function sumOf(processes: readonly ProcessMetrics[]): Registry {
  return AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]));
}

/** Collects the metrics of all workers. Keeps the counts of ended workers, so that sums never decrease. */
export class NodeMetrics {
  private readonly registry = new Registry();
  private readonly crashes = crashCounter(this.registry);
  private readonly serving = workersGauge(this.registry);
  private readonly last = new Map<number, ProcessMetrics>();
  /** The scrapes that wait for a worker's report, by the worker's id. */
  private readonly waiting = new Map<number, Set<(reported: boolean) => void>>();
  private ended: ProcessMetrics = [];

  constructor() {
    const startTime = new Gauge({
      name: 'process_start_time_seconds',
      help: 'Start time of the node since unix epoch in seconds.',
      aggregator: 'first',
      registers: [this.registry],
    });
    startTime.set(Math.round(Date.now() / 1000 - process.uptime()));
  }

  /** Returns the metrics of the primary itself, of these workers, and of workers that have ended. */
  async collect(workers: readonly Worker[]): Promise<readonly ProcessMetrics[]> {
    const done = new AbortController();
    const late = pause(REPORT_MS, undefined, done).catch(() => undefined);
    let reported = 0;
    const reports = workers.map(async (worker) => {
      if (await this.report(worker)) reported += 1;
    });
    await Promise.race([Promise.all(reports), late]);
    done.abort();
    this.serving.set(reported);
    const ofNode = await this.registry.getMetricsAsJSON();
    return [ofNode, ...this.last.values(), this.ended];
  }

  received(worker: Worker, metrics: ProcessMetrics): void {
    this.last.set(worker.id, metrics);
    this.settle(worker, true);
  }

  countCrash(): void {
    this.crashes.inc();
  }

  /** Adds the last counts of an ended worker to the counts of workers that ended earlier. */
  workerEnded(worker: Worker): void {
    const counts = (this.last.get(worker.id) ?? []).filter(({ type }) => COUNTS.includes(String(type)));
    // Cast, because the type of the list omits the values that it contains.
    this.ended = sumOf([this.ended, counts]).getMetricsAsArray() as unknown as ProcessMetrics;
    this.last.delete(worker.id);
    this.settle(worker, false);
  }

  /**
   * Asks a worker to report its metrics. Scrapes that wait at the same time share one request. @returns false if the
   * worker ended before it reported
   */
  private report(worker: Worker): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = this.waiting.get(worker.id);
      if (waiting) return void waiting.add(resolve);
      this.waiting.set(worker.id, new Set([resolve]));
      sendTo(worker, { type: 'report' });
    });
  }

  private settle(worker: Worker, reported: boolean): void {
    const waiting = this.waiting.get(worker.id) ?? [];
    this.waiting.delete(worker.id);
    for (const resolve of waiting) resolve(reported);
  }
}
