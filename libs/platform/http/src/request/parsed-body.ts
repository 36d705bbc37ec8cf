import type { RawBodyRequest } from '@nestjs/common';
import type { Request } from 'express';
import { mediaType } from './media-type.js';

/**
 * Returns the body that a parser of the app has already read: its bytes if the app was created with `rawBody: true`,
 * otherwise the parsed values, serialised again. @returns null for an unread body
 */
export function parsedBody(request: RawBodyRequest<Request>): Buffer | null {
  if (!request.readableDidRead) return null;
  if (request.rawBody) return request.rawBody;
  const body: unknown = request.body;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const isForm = mediaType(request) === 'application/x-www-form-urlencoded';
  return Buffer.from(isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body));
}
