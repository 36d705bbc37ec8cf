const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const topLevel = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])';

/**
 * One e-mail address and nothing else (RFC 5321 Mailbox with a dot-string, in ASCII): no display name, quotes, comments,
 * lists or address literals, which mailers read in different ways. Runs in linear time; the length (254) is looked at apart.
 */
export const emailForm = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`);
