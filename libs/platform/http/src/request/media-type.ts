import type { IncomingMessage } from 'node:http';

/** Returns true if the request has a body, according to its framing (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns the body's media type without parameters, in lower case; empty when none is declared. */
export function mediaType({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/** Returns true if the body is declared as JSON: `application/json`, or `application/merge-patch+json` (RFC 7396). */
export function isJson(request: IncomingMessage): boolean {
  return ['application/json', 'application/merge-patch+json'].includes(mediaType(request));
}

/** Returns true if the body is declared as a multipart form. */
export function isForm(request: IncomingMessage): boolean {
  return mediaType(request) === 'multipart/form-data';
}
