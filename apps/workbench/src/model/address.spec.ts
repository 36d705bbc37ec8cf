import { addressOf, segmentsOf } from './address.js';

it('an address leads to the parts that it was made from', () => {
  const parts = ['passes', 'gold club', 'a/b%?#'];
  expect(segmentsOf(addressOf(...parts))).toEqual(parts);
});

it('a damaged address keeps its parts', () => {
  expect(segmentsOf('#/passes/%zz')).toEqual(['passes', '%zz']);
  expect(segmentsOf('')).toEqual([]);
});
