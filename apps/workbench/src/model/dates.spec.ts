import { fromInput, inLocalTime, toInput } from './dates.js';

it('toInput converts a time from the API to the value of an input field, and fromInput converts it back', () => {
  const time = '2027-06-21T18:05:00.000Z';
  expect(toInput(time)).toMatch(/^2027-06-2[12]T\d\d:[03]5$/);
  expect(fromInput(toInput(time))).toBe(time);
});

it('toInput and fromInput treat empty and invalid values as no time', () => {
  expect([toInput(undefined), toInput('soon'), fromInput(''), fromInput('x'), inLocalTime(null)]).toEqual([
    '',
    '',
    null,
    null,
    '—',
  ]);
});
