import { emailForm } from '@passwright/core';

/** The sender of mails. */
export interface Sender {
  readonly name: string;
  readonly address: string;
}

const MAX_ADDRESS = 254;
const MAX_NAME = 100;

/** Returns true for a single address that all mail servers interpret in the same way. */
export function isAddress(text: string): boolean {
  return text.length <= MAX_ADDRESS && emailForm.test(text);
}

/** Reads `address`, `Name <address>` or `"Name" <address>`. @returns null for any other form */
export function senderOf(text: string): Sender | null {
  const end = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  if (end < 0) return isAddress(text) ? { name: '', address: text } : null;
  const address = text.slice(end + 1, -1);
  const name = text
    .slice(0, end)
    .trim()
    .replace(/^"(.*)"$/, '$1');
  return isAddress(address) && isName(name) ? { name, address } : null;
}

/**
 * Returns a name on one line for a mail header. Removes characters that could form an address or an encoded word,
 * including their full-width variants. Returns an empty text if no other characters remain.
 */
export function displayName(text: string): string {
  const line = text
    .normalize('NFKC')
    .replace(/=\?|[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029<>"\\@]+/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return [...line].slice(0, MAX_NAME).join('').trim();
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME && !/[\p{Cc}\p{Cs}\u2028\u2029<>"\\]/u.test(text);
}

/** Returns the name to show for a sender who writes through the service. It includes the name of the service. */
export function nameVia(text: string, { name, address }: Sender): string {
  const through = name || address.slice(address.indexOf('@') + 1);
  const own = displayName(text);
  return own ? `${own} via ${through}` : name;
}
