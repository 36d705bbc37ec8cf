import { emailForm, Text } from '@passwright/core';

/** Validates and documents an e-mail address of at most 254 characters that matches `emailForm`. */
export function Email(doc: { description: string; example?: string }): PropertyDecorator {
  return Text({
    ...doc,
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as ada@example.com',
  });
}
