import { Text } from '@passwright/core';
import {
  changeMessagePattern,
  fieldKeyPattern,
  maxChangeMessageLength,
  type RenderField,
} from '@passwright/wallet-renderers';

const key = {
  description: 'Identifies the field; never shown. Unique over fields and backFields. A leading `_` is reserved.',
  max: 100,
  pattern: fieldKeyPattern,
  patternHint: 'a key that does not begin with "_"',
};

/** The OpenAPI document marks these as nullable. */
const clearable = { optional: true, nullable: true };

/** A field of the front, which a pass shows at a glance. */
export class Field implements RenderField {
  @Text({ ...key, example: 'discount' })
  key!: string;

  @Text({ description: 'Shown with the value.', max: 100, example: 'Discount' })
  label!: string;

  @Text({ description: 'What is shown; may be empty.', min: 0, max: 1000, multiline: true, example: '20 %' })
  value!: string;

  @Text({
    description:
      'What the lock screen says when the value has changed, `%@` standing for the new value; empty or null for nothing, ' +
      '`<label>: %@` when left out. Wallet A only.',
    min: 0,
    max: maxChangeMessageLength,
    pattern: changeMessagePattern,
    patternHint: 'a text with exactly one "%@" for the new value, or empty',
    example: 'Your discount is %@ now',
    ...clearable,
  })
  changeMessage?: string | null;
}

/** A field of the back, where there is room for terms and links. */
export class BackField implements RenderField {
  @Text({ ...key, example: 'terms' })
  key!: string;

  @Text({ description: 'Shown with the value.', max: 100, example: 'Terms' })
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
