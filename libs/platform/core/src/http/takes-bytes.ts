import { applyDecorators, SetMetadata } from '@nestjs/common';
import { PayloadTooLarge, UnsupportedMediaType } from '../errors/wire-errors.js';
import { ApiErrors } from './api-errors.js';

export const BODY_BYTES = 'passwright:body-bytes';

/**
 * The route takes a body of any media type, or of none, as it is: `request.body` is a Buffer of at most `maxBytes`, also
 * when inflated, empty without a body. (415 is for a `Content-Encoding` that is not known.) For protocols of others, whose clients do not keep to our rules for JSON.
 */
export function TakesBytes(maxBytes: number): MethodDecorator {
  return applyDecorators(SetMetadata(BODY_BYTES, maxBytes), ApiErrors(PayloadTooLarge, UnsupportedMediaType));
}
