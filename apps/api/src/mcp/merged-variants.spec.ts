import type { OpenAPIObject } from '@nestjs/swagger';
import { hasVariants, mergedVariants } from './merged-variants.js';

const text = (description?: string) => ({ type: 'string', ...(description !== undefined && { description }) });
const document = {
  components: {
    schemas: {
      Ticket: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: ['ticket'] },
          title: text('The title.'),
          start: text('The start.'),
        },
        required: ['kind', 'title', 'start'],
      },
      Card: {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['card'] }, title: text('The title.'), balance: text() },
        required: ['kind', 'title'],
      },
      Coupon: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: ['coupon'] },
          title: text('The title.'),
          start: text('The start.'),
        },
        required: ['title'],
      },
    },
  },
} as unknown as OpenAPIObject;
const schema = {
  description: 'What to sell.',
  oneOf: ['Ticket', 'Card', 'Coupon'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  discriminator: {
    propertyName: 'kind',
    mapping: {
      ticket: '#/components/schemas/Ticket',
      card: '#/components/schemas/Card',
      coupon: '#/components/schemas/Coupon',
    },
  },
};

it('mergedVariants merges all variants into one object, and says which variants have or require each property', () => {
  expect(hasVariants(schema)).toBe(true);
  expect(mergedVariants(document, schema)).toEqual({
    description: 'What to sell.',
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['ticket', 'card', 'coupon'] },
      title: text('The title.'),
      start: text('The start. Only for ticket and coupon. Required for ticket.'),
      balance: text('Only for card.'),
    },
    required: ['title'],
  });
});

it('mergedVariants says «Required there.» if all variants with a property require it', () => {
  const { ticket, card } = schema.discriminator.mapping;
  const discriminator = { propertyName: 'kind', mapping: { ticket, card } };
  const { properties } = mergedVariants(document, { ...schema, discriminator }) as { properties: object };
  expect(properties).toMatchObject({ start: text('The start. Only for ticket. Required there.') });
});

it('hasVariants is false for alternatives that no property distinguishes', () => {
  expect(hasVariants({ oneOf: schema.oneOf })).toBe(false);
  expect(hasVariants({ oneOf: schema.oneOf, discriminator: { propertyName: 'kind' } })).toBe(false);
  expect(hasVariants({ type: 'object' })).toBe(false);
});
