import { plainToInstance } from 'class-transformer';
import { IsString, ValidateBy, validateSync } from 'class-validator';
import fc from 'fast-check';
import { Flag, JsonObject, ListOf, Nested, NumberIn, OneOf, Text, Untouched } from './property.decorators.js';
import { isValid } from './fast-validation.js';

class Place {
  @NumberIn({ description: 'degrees', min: -90, max: 90 })
  latitude!: number;
}

abstract class Named {
  @Text({ description: 'name', max: 5 })
  name!: string;
}

class Request extends Named {
  @Flag({ description: 'flag', optional: true })
  flag?: boolean | null;

  @OneOf({ description: 'kind', values: ['a', 'b'], optional: true })
  kind?: string;

  @ListOf(() => Place, { description: 'places', max: 2, optional: true })
  places?: Place[];

  @Nested(() => Place, { description: 'place', optional: true })
  place?: Place;

  @JsonObject({ description: 'data', maxLength: 30, optional: true })
  @Untouched()
  data?: object;
}

const value = fc.oneof(
  fc.constantFrom('a', '', ' ', 'abcdef', true, null, undefined, 7, 91, [], {}, [[]], [null], new Date(0)),
  fc.constantFrom({ latitude: 7 }, { latitude: '7' }, [{ latitude: 7 }], [{ latitude: 7, other: 1 }], [{}, {}, {}]),
  fc.jsonValue({ maxDepth: 2 }),
);
const names = ['name', 'flag', 'kind', 'places', 'place', 'data', 'other', 'constructor'];

it('isValid rejects every object in which class-validator finds errors, and accepts almost all others', () => {
  const options = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };
  const counts = { valid: 0, accepted: 0, invalid: 0 };
  const body = fc.tuple(
    fc.constantFrom({}, { name: 'a' }),
    fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 }),
  );
  fc.assert(
    fc.property(body, ([base, changes]) => {
      const object = plainToInstance(Request, { ...base, ...changes });
      if (!(object instanceof Request) || object.constructor !== Request) return;
      const errors = validateSync(object, options);
      counts[errors.length === 0 ? 'valid' : 'invalid']++;
      if (!isValid(object)) return;
      counts.accepted++;
      expect(errors).toEqual([]);
    }),
    { numRuns: 2000 },
  );
  // At most a tenth of the valid objects may contain a value that only class-validator accepts, such as a nested Date.
  expect(counts.accepted).toBeGreaterThan(0.9 * counts.valid);
  expect(counts.valid).toBeGreaterThan(100);
  expect(counts.invalid).toBeGreaterThan(100);
});

describe('cases that isValid leaves to class-validator', () => {
  class Slow {
    @ValidateBy({ name: 'slow', async: true, validator: { validate: () => Promise.resolve(true) } })
    name = 'a';
  }
  class Each {
    @IsString({ each: true })
    names = ['a'];
  }
  class Bare {}

  it.each([
    ['a rule that needs a promise', new Slow()],
    ['a rule for each item of a list', new Each()],
    ['a class without rules', new Bare()],
    ['an object without a class', {}],
    ['an object without a prototype', Object.create(null) as object],
  ])('isValid does not accept %s', (_, object) => {
    expect(isValid(object)).toBe(false);
  });
});
