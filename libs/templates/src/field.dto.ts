import { Text } from '@passwright/core';
import { fieldKeyPattern, type RenderField } from '@passwright/wallet-renderers';

const key = {
  description: 'Identifies the field; never shown. Unique over fields and backFields. A leading `_` is reserved.',
  max: 100,
  pattern: fieldKeyPattern,
  patternHint: 'a key that does not begin with "_"',
};

/** A field of the front: what a pass shows at a glance. */
export class Field implements RenderField {
  @Text({ ...key, example: 'discount' })
  key!: string;

  @Text({ description: 'Shown with the value.', max: 100, example: 'Discount' })
  label!: string;

  @Text({ description: 'What is shown; may be empty.', min: 0, max: 1000, multiline: true, example: '20 %' })
  value!: string;
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
