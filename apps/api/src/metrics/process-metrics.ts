import { collectDefaultMetrics, Registry } from 'prom-client';

let ofProcess: Registry | undefined;

/**
 * Returns a registry with the metrics of the process: memory, processor, event loop, garbage collection. A process
 * measures them only once, however many services it creates, because the timer and the observer of these metrics never
 * end.
 */
export function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess]);
}
