import fc from 'fast-check';
import { SizedCache } from './sized-cache.js';

const sizeOf = ({ length }: Buffer): number => length;

it('the cache does not exceed its limit, and drops the entry that was read longest ago', () => {
  const stored = new SizedCache<Buffer>(100, sizeOf);
  for (const key of ['a', 'b', 'c', 'd']) stored.set(key, Buffer.alloc(25));
  expect(stored.get('a')).toBeDefined();
  stored.set('e', Buffer.alloc(25));
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => stored.get(key))).toEqual(['a', 'c', 'd', 'e']);
  stored.set('f', Buffer.alloc(26));
  expect(stored.get('f')).toBeUndefined();
});

it('the total size of the entries stays within the limit for any order of calls', () => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const stored = new SizedCache<Buffer>(100, sizeOf);
      for (const [key, size] of steps) stored.set(key, Buffer.alloc(size));
      const held = [...'abcdefg'].reduce((sum, key) => sum + (stored.get(key)?.length ?? 0), 0);
      expect(held).toBeLessThanOrEqual(100);
    }),
  );
});
