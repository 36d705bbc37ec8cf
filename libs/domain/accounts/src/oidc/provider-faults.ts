import { Logger } from '@nestjs/common';
import { AppError, loggedError, Unauthorized } from '@passwright/core';
import { IdentityProviderUnavailable } from './oidc.errors.js';

/** What openid-client says of a failure; each kind of error has some of it. */
interface Failure extends Error {
  readonly code?: string;
  /** OAuth's own code: `access_denied`, `invalid_grant` … */
  readonly error?: string;
  readonly error_description?: string;
}

const logger = new Logger('Oidc');

/** What the provider sends the browser back with when it is the provider that fails (RFC 6749 §4.1.2.1). */
const providerFails = new Set(['server_error', 'temporarily_unavailable']);

/** An ID token, or an answer to the browser, that proves nothing: another issuer, audience, nonce, signature, time. */
const provesNothing = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** The provider cannot be reached, or is not what the configuration says. It is logged: only the operator can help. */
export function providerFault(cause: unknown): IdentityProviderUnavailable {
  logger.warn(`The identity provider cannot be used: ${describe(cause)}`);
  return new IdentityProviderUnavailable();
}

/** The answer to a sign-in that did not succeed: 401 where the person can begin again, 503 where the provider fails. */
export function signInFault(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const { code, error } = cause as Failure;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return refusal(cause as Failure);
  if (error === 'invalid_grant') {
    return new Unauthorized('The code of this sign-in was used before or has expired; begin again.');
  }
  if (!provesNothing.has(code ?? '')) return providerFault(cause);
  logger.warn(`A sign-in proved nothing: ${describe(cause)}`);
  return new Unauthorized("The identity provider's answer does not prove who you are for this sign-in; begin again.");
}

function refusal(cause: Failure): AppError {
  const { error = 'error', error_description: description } = cause;
  if (providerFails.has(error)) return providerFault(cause);
  // It comes by way of the browser, so anyone can have written it.
  const why = [error, description].filter(Boolean).join(': ').slice(0, 300);
  return new Unauthorized(`The identity provider has not signed you in (${why}); begin again.`);
}

/** Messages and codes alone: what hangs on to these errors holds codes and tokens. */
function describe(cause: unknown): string {
  const { code, error, error_description: description } = (cause ?? {}) as Partial<Failure>;
  return [loggedError(cause).message, code, error, description].filter(Boolean).join('; ');
}
