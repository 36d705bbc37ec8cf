import { WalletUnavailable } from '@passwright/core';
import { MemoryQuota } from './memory-quota.js';

const issuer = '3388000000012345678';
const forEver = 60_000;

it('MemoryQuota never exceeds Google’s limit in any second', async () => {
  const quota = new MemoryQuota({ perSecond: 150, burst: 5 });
  const at: number[] = [];
  const took = () => at.push(performance.now());
  await Promise.all(Array.from({ length: 40 }, () => quota.take(issuer, 'background', forEver).then(took)));
  // The last of 20 consecutive requests comes at least 15 × 1/150 s after the first. Allow for an imprecise clock.
  for (let index = 20; index < at.length; index++) expect(at[index]! - at[index - 20]!).toBeGreaterThan(90);
});

it('MemoryQuota serves requests with a waiting holder first, and all others in order', async () => {
  const quota = new MemoryQuota({ perSecond: 20, burst: 1 });
  const order: string[] = [];
  await quota.take(issuer, 'background', forEver);
  const take = (name: string, urgency: 'holder' | 'background') =>
    quota.take(issuer, urgency, forEver).then(() => order.push(name));
  await Promise.all([take('b1', 'background'), take('b2', 'background'), take('h1', 'holder'), take('h2', 'holder')]);
  expect(order).toEqual(['h1', 'h2', 'b1', 'b2']);
});

it('MemoryQuota counts each issuer separately', async () => {
  const quota = new MemoryQuota({ perSecond: 1, burst: 1 });
  await quota.take(issuer, 'holder', 0);
  await expect(quota.take(issuer, 'holder', 0)).rejects.toThrow(WalletUnavailable);
  await quota.take('3388000000000000042', 'holder', 0);
});

it('MemoryQuota rejects a request that would wait too long, either immediately or when other requests overtake it', async () => {
  const quota = new MemoryQuota({ perSecond: 5, burst: 1 });
  await quota.take(issuer, 'holder', 0);
  const background = quota.take(issuer, 'background', 250);
  background.catch(() => undefined);
  await expect(quota.take(issuer, 'background', 250)).rejects.toThrow(/wait for their turn/);
  const holders = [quota.take(issuer, 'holder', forEver), quota.take(issuer, 'holder', forEver)];
  await expect(background).rejects.toThrow(WalletUnavailable);
  await Promise.all(holders);
});
