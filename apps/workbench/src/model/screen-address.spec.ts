import { addressOf, segmentsOf } from './screen-address.js';

it('segmentsOf returns the parts that addressOf joined', () => {
  const parts = ['passes', 'gold club', 'a/b%?#'];
  expect(segmentsOf(addressOf(...parts))).toEqual(parts);
});

it('segmentsOf keeps the parts of a damaged address', () => {
  expect(segmentsOf('#/passes/%zz')).toEqual(['passes', '%zz']);
  expect(segmentsOf('')).toEqual([]);
});
