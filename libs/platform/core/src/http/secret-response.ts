import { applyDecorators, Header, SetMetadata } from '@nestjs/common';

/** The metadata key of `@SecretResponse`. */
export const SECRET_RESPONSE = 'passwright:secret-answer';

/**
 * Marks a route whose response contains a secret that is shown only once, such as a token or an API key. The response
 * is never stored: `Idempotency-Key` has no effect, and `Cache-Control: no-store` forbids caching.
 */
export function SecretResponse(): MethodDecorator {
  return applyDecorators(SetMetadata(SECRET_RESPONSE, true), Header('Cache-Control', 'no-store'));
}
