const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const topLevel = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])';

/**
 * A pattern for exactly one e-mail address (RFC 5321 Mailbox with a dot-string, in ASCII). It excludes display names,
 * quotes, comments, lists and address literals, because mailers interpret them differently. Runs in linear time.
 * Callers check the length (254) separately.
 */
export const emailForm = new RegExp(`^(?=[^@]{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`);
