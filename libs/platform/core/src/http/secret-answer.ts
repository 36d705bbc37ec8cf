import { applyDecorators, Header, SetMetadata } from '@nestjs/common';

/** Where `@SecretAnswer` leaves its mark. */
export const SECRET_ANSWER = 'passwright:secret-answer';

/**
 * The route's answer holds a secret that is shown once (a token, an API key), so it is never stored: `Idempotency-Key`
 * has no effect on it, and `Cache-Control: no-store` keeps caches from it.
 */
export function SecretAnswer(): MethodDecorator {
  return applyDecorators(SetMetadata(SECRET_ANSWER, true), Header('Cache-Control', 'no-store'));
}
