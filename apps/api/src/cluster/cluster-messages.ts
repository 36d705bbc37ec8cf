import type { Worker } from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** The command-line argument that the primary gives to each worker it starts. */
export const WORKER_ARGUMENT = '--worker';

/** The metrics of one process, as prom-client lists them. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** A message of a worker to its primary. */
export type WorkerMessage =
  /** The worker serves the port. */
  | { readonly type: 'ready'; readonly port: number }
  /** The metrics of the worker. It sends them when the primary asks for them, and before it ends. */
  | { readonly type: 'metrics'; readonly metrics: ProcessMetrics }
  /** A scrape has reached the worker, which needs the metrics of the whole node to respond. */
  | { readonly type: 'scrape'; readonly id: number }
  /** The worker responds to a ping. A worker that starts does so only while it waits for its database. */
  | { readonly type: 'pong' }
  /** The worker has closed its port. It ends when it receives the primary's `left`, after all earlier messages. */
  | { readonly type: 'leave' };

/** A message of the primary to a worker. */
export type PrimaryMessage =
  | { readonly type: 'stop'; readonly reason: string; readonly isReplaced: boolean }
  | { readonly type: 'report' }
  | { readonly type: 'ping' }
  | { readonly type: 'scraped'; readonly id: number; readonly processes: readonly ProcessMetrics[] }
  | { readonly type: 'left' };

/** Sends a message to a worker, unless the worker has ended. */
export function sendTo(worker: Worker, message: PrimaryMessage): void {
  if (worker.isConnected()) worker.send(message);
}
