import type { Worker } from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The argument by which a process knows that its primary is ours. */
export const WORKER_ARGUMENT = '--worker';

/** The metrics of one process, as prom-client lists them. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** A message of a worker to its primary. */
export type WorkerMessage =
  /** It serves the port. */
  | { readonly type: 'ready'; readonly port: number }
  /** Its metrics, because the primary asked for them or because it ends. */
  | { readonly type: 'metrics'; readonly metrics: ProcessMetrics }
  /** It serves a scrape, and needs the metrics of the whole node. */
  | { readonly type: 'scrape'; readonly id: number }
  /** It responds to a ping. */
  | { readonly type: 'pong' }
  /** It has closed its port, and ends once it has read everything that was sent before `left`. */
  | { readonly type: 'leave' };

/** A message of the primary to a worker. */
export type PrimaryMessage =
  | { readonly type: 'stop'; readonly reason: string; readonly isReplaced: boolean }
  | { readonly type: 'report' }
  | { readonly type: 'ping' }
  | { readonly type: 'scraped'; readonly id: number; readonly processes: readonly ProcessMetrics[] }
  | { readonly type: 'left' };

/** Sends a message to a worker, unless it has ended. */
export function sendTo(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}
