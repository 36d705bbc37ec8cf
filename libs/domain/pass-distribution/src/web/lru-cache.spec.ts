import { LruCache } from './lru-cache.js';

it('LruCache drops the least recently used entry when it is full', () => {
  const used = new LruCache<number>(2);
  used.set('a', 1);
  used.set('b', 2);
  expect(used.get('a')).toBe(1);
  used.set('c', 3);
  expect([used.get('a'), used.get('b'), used.get('c')]).toEqual([1, undefined, 3]);
});
