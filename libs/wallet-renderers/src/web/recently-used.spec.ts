import { RecentlyUsed } from './recently-used.js';

it('makes a thing once, and again when it was not used for long', () => {
  const made: string[] = [];
  const kept = new RecentlyUsed<string>(6, (text) => text.length);
  const get = (key: string) => kept.get(key, () => (made.push(key), key));
  for (const key of ['aaa', 'bbb', 'aaa', 'ccc', 'aaa', 'bbb']) expect(get(key)).toBe(key);
  expect(made).toEqual(['aaa', 'bbb', 'ccc', 'bbb']);
});

it('hands out what is too heavy to be kept', () => {
  const kept = new RecentlyUsed<string>(2, (text) => text.length);
  expect(kept.get('a', () => 'heavy')).toBe('heavy');
  expect(kept.get('a', () => 'light')).toBe('light');
});
