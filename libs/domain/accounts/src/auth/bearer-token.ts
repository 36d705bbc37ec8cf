import type { IncomingMessage } from 'node:http';
import { Unauthorized } from '@passwright/core';

const MAX_LENGTH = 1024;
const form = /^bearer +([\w.~+/-]+=*) *$/i;

/**
 * Returns the credential of a request: `Authorization: Bearer <token>` (RFC 6750 §2.1), sent once, at most 1024
 * characters.
 * @throws Unauthorized
 */
export function bearerToken(request: Pick<IncomingMessage, 'headersDistinct'>): string {
  const headers = request.headersDistinct.authorization ?? [];
  const [header] = headers;
  if (header === undefined) {
    throw new Unauthorized('Send an access token or an API key: Authorization: Bearer <token>.');
  }
  if (headers.length > 1) throw new Unauthorized('Send one Authorization header; there are several.');
  if (header.length > MAX_LENGTH)
    throw new Unauthorized(`The Authorization header is longer than ${MAX_LENGTH} characters.`);
  const token = form.exec(header)?.[1];
  if (token === undefined)
    throw new Unauthorized('The Authorization header must be like this: Authorization: Bearer <token>.');
  return token;
}
