import { locationProblems, mergedLocations, placeName } from './merged-locations.js';
import { aLocation } from './render.fixtures.js';

const places = (count: number, name: string) => ({
  locations: Array.from({ length: count }, (_, index) => aLocation({ name: `${name} ${index}`, latitude: index })),
});

describe('mergedLocations', () => {
  it("mergedLocations puts the template's locations first, then the pass's locations", () => {
    const names = mergedLocations(places(2, 'template'), places(1, 'pass')).map(({ name }) => name);
    expect(names).toEqual(['template 0', 'template 1', 'pass 0']);
  });

  it('mergedLocations never returns more than 10 locations', () => {
    expect(mergedLocations(places(8, 'template'), places(8, 'pass'))).toHaveLength(10);
  });
});

describe('locationProblems', () => {
  it.each([
    [10, 0, []],
    [6, 4, []],
    [6, 5, ['locations: 11 locations (6 of the template and 5 of the pass); at most 10 in all']],
    [11, 0, ['locations: 11 locations; at most 10 in all']],
  ])(
    'locationProblems for %d locations of the template and %d locations of the pass returns %j',
    (ofTemplate, ofPass, problems) => {
      expect(
        locationProblems(places(ofTemplate, 'template'), places(ofPass, 'pass')).map(
          ({ path, message, fix }) => `${path}: ${message}; ${fix}`,
        ),
      ).toEqual(problems);
    },
  );
});

it('placeName returns the address of a place without a name', () => {
  expect(placeName(aLocation({ name: '' }))).toBe('Quay 1, Hamburg');
  expect(placeName(aLocation({ name: 'Hall' }))).toBe('Hall');
});

it.each([
  ['Quay 1\n20457 Hamburg', 'Quay 1, 20457 Hamburg'],
  ['Quay 1,\n\t20457  Hamburg \n\n', 'Quay 1, 20457  Hamburg'],
  ['Pier 3,, Dock', 'Pier 3,, Dock'],
])('placeName returns the address %j in one line, because names have one line', (address, line) => {
  expect(placeName(aLocation({ name: undefined, address }))).toBe(line);
});
