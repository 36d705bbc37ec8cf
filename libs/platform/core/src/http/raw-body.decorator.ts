import { applyDecorators, SetMetadata } from '@nestjs/common';
import { PayloadTooLarge, UnsupportedMediaType } from '../errors/wire-errors.js';
import { ApiErrors } from './api-errors.js';

export const BODY_BYTES = 'passwright:body-bytes';

/**
 * Accepts a body of any media type, or no body, without parsing it. `request.body` is a Buffer, which is empty without
 * a body. `maxBytes` limits the body before and after decompression. Only an unknown `Content-Encoding` gives a 415.
 * Use it for protocols of third parties whose clients do not follow our JSON rules.
 */
export function TakesBytes(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_BYTES, maxBytes), ApiErrors(PayloadTooLarge, UnsupportedMediaType));
}
