import { RecentEntries } from './recent-entries.js';

it('RecentEntries drops the least recently used entry when it is full', () => {
  const entries = new RecentEntries<string, number>(2);
  entries.set('a', 1);
  entries.set('b', 2);
  expect(entries.get('a')).toBe(1);
  entries.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => entries.get(key))).toEqual([1, undefined, 3]);
  entries.set('a', 4);
  entries.set('d', 5);
  expect(['a', 'c', 'd'].map((key) => entries.get(key))).toEqual([4, undefined, 5]);
});

it('RecentEntries accepts a new entry in place of a deleted one', () => {
  const entries = new RecentEntries<string, number>(1);
  entries.set('a', 1);
  entries.delete('a');
  expect(entries.get('a')).toBeUndefined();
  entries.set('b', 2);
  expect(entries.get('b')).toBe(2);
});
