import { collectDefaultMetrics, Registry } from 'prom-client';

let ofProcess: Registry | undefined;

/**
 * A registry that has what a process says of itself: memory, processor, event loop, garbage collection. These are
 * measured once in a process, however many services are made in it: their timer and their observer have no end.
 */
export function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return Registry.merge([ofProcess]);
}
