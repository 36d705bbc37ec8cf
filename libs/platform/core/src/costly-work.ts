import { availableParallelism } from 'node:os';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/**
 * The limiter that this process shares for CPU-intensive work, such as images, previews and keys. One account gets at
 * most half of the slots. Keep each task below two seconds, and use `AccountsService.shareOf` as the key.
 */
export const costlyWork = new ConcurrencyLimiter({
  width: Math.max(2, availableParallelism() - 1),
  maxWaitingPerKey: 100,
  maxWaiting: 1000,
  rejection: 'Too many images, previews or keys of this account are being made; try again in a few seconds.',
});
