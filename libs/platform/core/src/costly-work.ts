import { availableParallelism } from 'node:os';
import { ConcurrencyLimiter } from './concurrency-limiter.js';

/**
 * The shared limiter of this process for work that occupies a core for a long time: images, previews, keys. One account
 * gets at most half of its places, so that even on two cores one place stays free for other accounts. Keep each task
 * under a second or two, and use `AccountsService.shareOf` as the key.
 */
export const costlyWork = new ConcurrencyLimiter({
  width: Math.max(2, availableParallelism() - 1),
  maxWaitingPerKey: 100,
  maxWaiting: 1000,
  rejection: 'Too many images, previews or keys of this account are being made; try again in a few seconds.',
});
