import type { OpenAPIObject } from '@nestjs/swagger';
import { asOpenApi31 } from './open-api-31.js';

const converted = (schemas: object) =>
  asOpenApi31({ openapi: '3.0.0', paths: {}, info: {}, components: { schemas } } as unknown as OpenAPIObject);

it('asOpenApi31 replaces `nullable` with the type null, and an `allOf` of one reference with the reference', () => {
  const { openapi, components } = converted({
    Text: { type: 'string', nullable: true, maxLength: 3 },
    Choice: { type: 'string', enum: ['a'], nullable: true },
    Listed: { type: 'string', enum: ['a', null], nullable: true },
    Part: { description: 'A part.', allOf: [{ $ref: '#/components/schemas/Text' }] },
    Plain: { type: 'string', nullable: false },
    Link: { description: 'A link.', oneOf: [{ $ref: '#/components/schemas/Text' }], nullable: true },
  });
  expect([openapi, components?.schemas]).toEqual([
    '3.1.0',
    {
      Text: { type: ['string', 'null'], maxLength: 3 },
      Choice: { type: ['string', 'null'], enum: ['a', null] },
      Listed: { type: ['string', 'null'], enum: ['a', null] },
      Part: { $ref: '#/components/schemas/Text', description: 'A part.' },
      Plain: { type: 'string' },
      Link: { description: 'A link.', anyOf: [{ oneOf: [{ $ref: '#/components/schemas/Text' }] }, { type: 'null' }] },
    },
  ]);
});

it('asOpenApi31 does not change examples or a property that is named `nullable`', () => {
  const schema = {
    type: 'object',
    properties: { nullable: { type: 'boolean' } },
    example: { nullable: true },
  };
  expect(converted({ Column: schema }).components?.schemas).toEqual({ Column: schema });
});
