import { AppError } from '../errors/app-error.js';
import { bodyValidation } from './body-validation.js';
import { PageQuery } from '../pagination/page.js';
import { Flag, ListOf, Nested, NumberIn, Text } from './property.decorators.js';

class Place {
  @NumberIn({ description: 'degrees', min: -90, max: 90 })
  latitude!: number;
}

class Field {
  @Text({ description: 'key', max: 10 })
  key!: string;

  @Text({ description: 'label', max: 10, optional: true })
  label?: string;
}

class Request {
  @Text({ description: 'title', max: 5 })
  title!: string;

  @Flag({ description: 'flag', optional: true })
  flag?: boolean;

  @ListOf(() => Field, { description: 'fields', max: 30, optional: true })
  fields?: Field[];

  @Nested(() => Place, { description: 'place', optional: true })
  place?: Place;
}

async function rejection(body: unknown): Promise<string> {
  const failure: unknown = await bodyValidation.transform(body, { type: 'body', metatype: Request }).then(
    () => new Error('accepted'),
    (error: unknown) => error,
  );
  if (!(failure instanceof AppError)) throw failure;
  expect(failure.code).toBe('validation_failed');
  return failure.message;
}

describe('bodyValidation', () => {
  it('bodyValidation returns an instance of the class, including nested objects', async () => {
    const body = { title: 'a', fields: [{ key: 'k' }], place: { latitude: 1 } };
    const request: unknown = await bodyValidation.transform(body, { type: 'body', metatype: Request });
    expect(request).toBeInstanceOf(Request);
    expect((request as Request).fields?.[0]).toBeInstanceOf(Field);
    expect((request as Request).place).toBeInstanceOf(Place);
  });

  it('bodyValidation reports every error with the full path of its property, in a stable order', async () => {
    const body = { fields: [{ key: 'k' }, { key: 7, lable: 'x' }], place: { latitude: 91 }, flag: 'yes' };
    expect(await rejection(body)).toBe(
      [
        'title is required',
        'flag must be a boolean value',
        'fields[1].lable is not known here',
        'fields[1].key must be a string',
        'place.latitude must not be greater than 90',
      ].join('; '),
    );
    expect(await rejection(structuredClone(body))).toBe(await rejection(body));
  });

  it('bodyValidation rejects a list whose items are not objects, and the message asks for a list of objects', async () => {
    expect(await rejection({ title: 'a', fields: ['x', null] })).toContain('fields must be a list of objects');
  });

  it('bodyValidation reports an object in place of a list as one error', async () => {
    expect(await rejection({ title: 'a', fields: { lable: 'x' } })).toBe('fields must be an array');
  });

  it.each([[[]], [[{ title: 'a' }]], ['text'], [7], [null], [true]])(
    'bodyValidation rejects %j in place of an object',
    async (body) => {
      expect(await rejection(body)).toBe('the body must be a JSON object');
    },
  );

  it('bodyValidation treats a missing body as an empty object and names the required properties', async () => {
    expect(await rejection(undefined)).toBe('title is required');
  });

  it('bodyValidation shows at most 20 errors and counts the others', async () => {
    const message = await rejection({ title: 'a', fields: Array.from({ length: 30 }, () => ({ key: 1 })) });
    expect(message.split('; ')).toHaveLength(21);
    expect(message).toMatch(/; and 10 more$/);
  });

  it('bodyValidation never repeats a long name or value from the caller', async () => {
    const message = await rejection({ title: 'v'.repeat(10_000), ['n'.repeat(10_000)]: 1, ['😀'.repeat(500)]: 1 });
    expect(message.length).toBeLessThan(500);
    expect(message).not.toContain('vv');
    expect(Buffer.from(message).toString()).toBe(message);
  });

  it('bodyValidation names a query parameter that was sent twice', async () => {
    const query = bodyValidation.transform({ limit: ['1', '2'] }, { type: 'query', metatype: PageQuery });
    await expect(query).rejects.toThrow('limit must be a whole number from 1 to 100');
  });
});
