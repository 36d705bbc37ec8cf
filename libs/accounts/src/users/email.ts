import { Text } from '@passwright/core';

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const topLevel = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])';

/**
 * One address and nothing else (RFC 5321 Mailbox with a dot-string, in ASCII): no display name, quotes, comments, lists or
 * address literals, which mailers read in different ways. Runs in linear time.
 */
export const emailForm = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`);

/** An e-mail address of at most 254 characters, as `emailForm` takes it. */
export function Email(doc: { description: string; example?: string }): PropertyDecorator {
  return Text({
    ...doc,
    max: 254,
    pattern: emailForm,
    patternHint: 'a single e-mail address, such as ada@example.com',
  });
}
