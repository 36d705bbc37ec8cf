import { availableParallelism } from 'node:os';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/**
 * The one limiter of a process for work that takes a core for long: images, previews, keys. One account's images, previews
 * and keys together take half of its places, so that two cores already leave one place for everyone else. Keep one task
 * under a second or two; call it with `AccountsService.shareOf` as the key.
 */
export const costlyWork = new ConcurrencyLimiter({
  width: Math.max(2, availableParallelism() - 1),
  maxWaitingPerKey: 100,
  maxWaiting: 1000,
  refusal: 'Too many images, previews or keys of this account are being made; try again in a few seconds.',
});
