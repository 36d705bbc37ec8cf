import { Text } from '@passwright/core';
import {
  changeMessagePattern,
  fieldKeyPattern,
  maxChangeMessageLength,
  type RenderField,
} from '@passwright/wallet-renderers';

const key = {
  description: 'Identifies the field; never shown. Unique across fields and backFields. A leading `_` is reserved.',
  max: 100,
  pattern: fieldKeyPattern,
  patternHint: 'a key that does not begin with "_"',
};

/** Marks a property as optional and nullable in the OpenAPI document. */
const clearable = { optional: true, nullable: true };

/** A field on the front of a pass. */
export class Field implements RenderField {
  @Text({ ...key, example: 'discount' })
  key!: string;

  @Text({ description: 'The label next to the value.', max: 100, example: 'Discount' })
  label!: string;

  @Text({ description: 'The value; may be empty.', min: 0, max: 1000, multiline: true, example: '20%' })
  value!: string;

  @Text({
    description:
      'The text on the lock screen and in Google Wallet when the value changes; `%@` is the new value. Empty or null: ' +
      'no text. Default: `<label>: %@`.',
    min: 0,
    max: maxChangeMessageLength,
    pattern: changeMessagePattern,
    patternHint: 'a text with exactly one "%@" for the new value, or empty',
    example: 'Your discount is %@ now',
    ...clearable,
  })
  changeMessage?: string | null;
}

/** A field on the back of a pass, which has room for terms and links. */
export class BackField implements RenderField {
  @Text({ ...key, example: 'terms' })
  key!: string;

  @Text({ description: 'The label next to the value.', max: 100, example: 'Terms' })
  label!: string;

  @Text({
    description: 'Text, a number or a URL, as a string; may be empty.',
    min: 0,
    max: 4000,
    multiline: true,
    example: 'https://example.com/terms',
  })
  value!: string;
}
