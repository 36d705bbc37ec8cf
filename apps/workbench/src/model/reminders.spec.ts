import { remindersInWords, remindersOf } from './reminders.js';

const former = [
  { key: 'month', daysBefore: 30 },
  { key: 'week', daysBefore: 7 },
];

it('remindersOf reads days in any order, each once, and keeps the keys of known days', () => {
  expect(remindersOf(' 1, 7;30 7', former)).toEqual([...former, { key: 'days-1', daysBefore: 1 }]);
  expect(remindersInWords(former)).toBe('30, 7');
});

it('remindersOf reads an empty text as no reminders', () => {
  expect(remindersOf('  ', former)).toEqual([]);
});

it.each(['a week', '7.5', '-1', '7, x'])('remindersOf rejects %s', (text) => {
  expect(remindersOf(text, former)).toBeNull();
});
