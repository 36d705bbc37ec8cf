import { applyDecorators, Header, SetMetadata } from '@nestjs/common';

/** The metadata key of `@SecretAnswer`. */
export const SECRET_ANSWER = 'passwright:secret-answer';

/**
 * Marks a route whose response holds a secret that is shown once (a token, an API key). The response is never stored:
 * `Idempotency-Key` has no effect, and `Cache-Control: no-store` keeps caches from it.
 */
export function SecretAnswer(): MethodDecorator {
  return applyDecorators(SetMetadata(SECRET_ANSWER, true), Header('Cache-Control', 'no-store'));
}
