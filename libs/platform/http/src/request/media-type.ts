import type { IncomingMessage } from 'node:http';

/** Whether the request has a body, as its framing says (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The body's media type without parameters, in lower case; empty when none is named. */
export function mediaType({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

/** Whether the body is named as JSON: `application/json`, or `application/merge-patch+json` (RFC 7396). */
export function isJson(request: IncomingMessage): boolean {
  return ['application/json', 'application/merge-patch+json'].includes(mediaType(request));
}

/** Whether the body is named as a multipart form. */
export function isForm(request: IncomingMessage): boolean {
  return mediaType(request) === 'multipart/form-data';
}
