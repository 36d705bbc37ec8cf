import fc from 'fast-check';
import { accountOfPart, accountPart, callerChosenId, newId, randomId } from './ids.js';

it('randomId returns 22 base62 characters, never repeats, and uses every character', () => {
  const ids = Array.from({ length: 2000 }, randomId);
  for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.join('')).size).toBe(62);
});

it('newId puts the kind of an id into its prefix', () => {
  expect(newId('acc')).toMatch(/^acc_[0-9A-Za-z]{22}$/);
  expect(callerChosenId.test(newId('usr'))).toBe(true);
});

it.each(['a', '7', 'A.b_c-d', 'x'.repeat(64)])('callerChosenId accepts %j', (id) => {
  expect(callerChosenId.test(id)).toBe(true);
});

it.each(['', '.a', '-a', '_a', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(65), '../a'])('callerChosenId rejects %j', (id) => {
  expect(callerChosenId.test(id)).toBe(false);
});

it('callerChosenId rejects every id that would be changed in a path or file name', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 70 }), (id) => {
      if (callerChosenId.test(id)) expect(encodeURIComponent(id)).toBe(id);
    }),
  );
});

it('accountPart shortens an account id, accountOfPart restores it, and both return null for other texts', () => {
  const id = newId('acc');
  expect([accountPart(id), accountOfPart(id.slice(4))]).toEqual([id.slice(4), id]);
  for (const other of [null, '', 'museum', newId('usr'), `${id}x`, `${id}\n`]) expect(accountPart(other)).toBeNull();
  expect(accountOfPart(undefined)).toBeNull();
});
