import { applyDecorators, SetMetadata } from '@nestjs/common';
import { PayloadTooLarge, UnsupportedMediaType } from '../errors/wire-errors.js';
import { ApiErrors } from './api-errors.js';

export const BODY_BYTES = 'passwright:body-bytes';

/**
 * Accepts a body of any media type, or none, unparsed: `request.body` is a Buffer of at most `maxBytes`, also when
 * inflated, and empty without a body. 415 is for an unknown `Content-Encoding`. For third-party protocols whose clients
 * do not follow our JSON rules.
 */
export function TakesBytes(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_BYTES, maxBytes), ApiErrors(PayloadTooLarge, UnsupportedMediaType));
}
