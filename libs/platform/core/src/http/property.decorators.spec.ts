import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import fc from 'fast-check';
import { bodyValidation } from './body-validation.js';
import {
  DateTime,
  Flag,
  isDate,
  isDateTime,
  JsonObject,
  ListOf,
  Name,
  Nested,
  NumberIn,
  OneOf,
  Text,
} from './property.decorators.js';

class Inner {
  @Text({ description: 'name', max: 3 })
  name!: string;
}

class Everything {
  @Text({ description: 'text', min: 2, max: 4, optional: true })
  text?: string;

  @Text({ description: 'lines', max: 10, multiline: true, optional: true })
  lines?: string;

  @Text({ description: 'code', max: 10, pattern: /^[a-z]+$/, patternHint: 'lower-case letters', optional: true })
  code?: string;

  @DateTime({ description: 'at', optional: true })
  at?: string;

  @Flag({ description: 'flag', optional: true })
  flag?: boolean;

  @NumberIn({ description: 'number', min: -1, max: 1.5, optional: true })
  number?: number;

  @OneOf({ description: 'one', values: ['a', 'b'], optional: true })
  one?: string;

  @ListOf(() => Inner, { description: 'list', max: 2, optional: true })
  list?: Inner[];

  @Nested(() => Inner, { description: 'nested', optional: true })
  nested?: Inner;

  @JsonObject({ description: 'json', maxLength: 20, optional: true })
  json?: Record<string, unknown>;
}

class Named {
  @Name({ description: 'name', max: 10 })
  name!: string;
}

class Required {
  @Text({ description: 'text', max: 4 })
  text!: string;
}

const validate = (body: object, metatype: new () => object = Everything) =>
  bodyValidation.transform(body, { type: 'body', metatype }).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

it.each<[object, string | RegExp]>([
  [{ text: 'ab' }, 'accepted'],
  [{ text: 'abcd' }, 'accepted'],
  [{ text: 'a' }, 'text must be longer than or equal to 2 characters'],
  [{ text: 'abcde' }, 'text must be shorter than or equal to 4 characters'],
  [{ text: '😀😀😀😀' }, 'accepted'],
  [{ text: '😀' }, 'text must be longer than or equal to 2 characters'],
  [{ text: 'a\ufe0fb\ufe0f' }, 'accepted'],
  [{ text: 'a\ufe0fb\ufe0fc' }, 'text must be shorter than or equal to 4 characters'],
  [{ text: 'a\nb' }, 'text must be a single line: no line breaks or tabs'],
  [{ text: 7 }, 'text must be a string'],
  [{ lines: 'a\n\tb' }, 'accepted'],
  [{ code: 'abc' }, 'accepted'],
  [{ code: 'Abc' }, 'code must be lower-case letters'],
  [{ code: '' }, /^code must not be blank$/],
  [{ text: '' }, /^text must be longer than or equal to 2 characters$/],
  [{ at: '2026-11-20T10:00:00.000Z' }, 'accepted'],
  [{ at: '2026-02-30T10:00:00Z' }, 'at must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:00:00.000Z'],
  [{ flag: false }, 'accepted'],
  [{ flag: 'false' }, 'flag must be a boolean value'],
  [{ number: 1.5 }, 'accepted'],
  [{ number: 1.6 }, 'number must not be greater than 1.5'],
  [{ number: -2 }, 'number must not be less than -1'],
  [{ number: '1' }, 'number must be a number conforming to the specified constraints'],
  [{ one: 'b' }, 'accepted'],
  [{ one: 'c' }, 'one must be one of a, b'],
  [{ list: [{ name: 'x' }] }, 'accepted'],
  [{ list: [] }, 'accepted'],
  [{ list: {} }, 'list must be an array'],
  [{ list: 'ab' }, 'list must be an array'],
  [{ list: [[]] }, 'list must be a list of objects'],
  [{ list: [{ name: 'x' }, { name: 'long' }] }, 'list[1].name must be shorter than or equal to 3 characters'],
  [{ nested: { name: 'x' } }, 'accepted'],
  [{ nested: [] }, 'nested must be an object'],
  [{ nested: {} }, 'nested.name is required'],
  [{ nested: { name: 'x', extra: 1 } }, 'nested.extra is not known here'],
  [{ json: { a: [1, { b: null }] } }, 'accepted'],
  [{ json: [] }, 'json must be a JSON object of at most 20 characters when serialised'],
  [{ json: { a: 'x'.repeat(20) } }, 'json must be a JSON object of at most 20 characters when serialised'],
])('the validation responds to %j with: %s', async (body, outcome) => {
  expect(await validate(body)).toMatch(outcome);
});

it('the validation accepts an optional property that is absent or null', async () => {
  const names = Object.keys(new Everything()).concat('text', 'at', 'list', 'nested', 'json', 'flag', 'number', 'one');
  expect(await validate(Object.fromEntries(names.map((name) => [name, null])))).toBe('accepted');
});

it.each([{}, { text: null }, { text: undefined }])(
  'the validation reports a missing required property in %j',
  async (body) => {
    expect(await validate(body, Required)).toBe('text is required');
  },
);

it('the decorators document in OpenAPI the rules that they validate', async () => {
  @Controller()
  class EverythingController {
    @Post()
    take(@Body() _everything: Everything): void {
      return;
    }
  }
  @Module({ controllers: [EverythingController] })
  class App {}
  const app = await NestFactory.create(App, { logger: false });
  const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  await app.close();
  const inner = { $ref: '#/components/schemas/Inner' };
  expect(components?.schemas).toMatchObject({
    Inner: { required: ['name'], properties: { name: { type: 'string', minLength: 1, maxLength: 3 } } },
    Everything: {
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 4, description: 'text' },
        code: { type: 'string', pattern: '^[a-z]+$' },
        at: { type: 'string', format: 'date-time' },
        flag: { type: 'boolean' },
        number: { type: 'number', minimum: -1, maximum: 1.5 },
        one: { type: 'string', enum: ['a', 'b'] },
        list: { type: 'array', maxItems: 2, items: inner },
        nested: { allOf: [inner] },
        json: { type: 'object', additionalProperties: true },
      },
    },
  });
  expect(components?.schemas?.['Everything']).not.toHaveProperty('required');
});

describe('isDate', () => {
  it.each(['2026-11-20', '2024-02-29', '1970-01-02', '9999-12-31'])('isDate accepts %j', (text) => {
    expect(isDate(text)).toBe(true);
  });

  // In eastern time zones, the first day of 1970 begins before 1970 in UTC.
  it.each(['', '2026-11-20T10:00:00Z', '2026-11', '2026-02-29', '2026-13-01', '2026-11-20\n', '1970-01-01'])(
    'isDate rejects %j',
    (text) => {
      expect(isDate(text)).toBe(false);
    },
  );
});

describe('isDateTime', () => {
  it('isDateTime accepts every time from 1970 to 9999 in ISO 8601 form, in any zone', () => {
    const range = { min: new Date(0), max: new Date('9999-12-31T00:00:00.000Z'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(isDateTime(date.toISOString())).toBe(true);
      }),
    );
    expect(isDateTime('2026-11-20T10:00+02:00')).toBe(true);
    expect(isDateTime('2024-02-29T23:59:59.123456789-11:30')).toBe(true);
  });

  it.each([
    '',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-11-20 10:00:00Z',
    '2026-11-20T24:30:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-11-20T10:60:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '+010000-01-01T00:00:00Z',
    '2026-11-20T10:00:00+25:00',
    '2026-11-20T10:00:00Z\n',
  ])('isDateTime rejects %j', (text) => {
    expect(isDateTime(text)).toBe(false);
  });

  it('isDateTime accepts only texts that the database can store as a date', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/), (text) => {
        if (isDateTime(text)) expect(new Date(text).toISOString()).toMatch(/^\d{4}-/);
      }),
      { numRuns: 1000 },
    );
  });
});

it.each([
  ['Ada', 'accepted'],
  ['דנה כהן', 'accepted'],
  ['a\u200fb', 'accepted'],
  ['Ada\u202eecila', 'name must not hold characters that turn the direction of text (U+202E)'],
  ['Ada\u2066', 'name must not hold characters that turn the direction of text (U+2066)'],
  ['', 'name must not be blank'],
])('@Name accepts or rejects %j: %s', async (name, outcome) => {
  expect(await validate({ name }, Named)).toBe(outcome);
});
