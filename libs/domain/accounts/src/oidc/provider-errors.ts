import { Logger } from '@nestjs/common';
import { AppError, loggedError, Unauthorized } from '@passwright/core';
import { IdentityProviderUnavailable } from './oidc.errors.js';

/** The properties of an openid-client error; each kind of error has some of them. */
interface Failure extends Error {
  readonly code?: string;
  /** The OAuth error code: `access_denied`, `invalid_grant` … */
  readonly error?: string;
  readonly error_description?: string;
}

const logger = new Logger('Oidc');

/** The error codes of a callback that mean a failure of the provider (RFC 6749 §4.1.2.1). */
const providerFails = new Set(['server_error', 'temporarily_unavailable']);

/** The error codes for an ID token or callback with a wrong issuer, audience, nonce, signature or time. */
const provesNothing = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/**
 * Returns the error for a provider that is unreachable or does not match the configuration. Logs the cause, because
 * only the operator can fix it.
 */
export function providerError(cause: unknown): IdentityProviderUnavailable {
  logger.warn(`The identity provider cannot be used: ${describe(cause)}`);
  return new IdentityProviderUnavailable();
}

/**
 * Returns true if a sign-in may have failed because the provider has replaced its keys. Returns false for errors that a
 * callback can cause, because anyone can send callbacks.
 */
export function mayNeedNewKeys(error: unknown): boolean {
  const { code } = error as Failure;
  return code === 'OAUTH_KEY_SELECTION_FAILED' || (code === 'OAUTH_INVALID_RESPONSE' && hasWrongSignature(error));
}

/** Returns true for a wrong signature. Only this error has the checked signature among its causes. */
function hasWrongSignature(error: unknown): boolean {
  const { cause } = error as Failure;
  const details = cause instanceof Error ? cause.cause : undefined;
  return typeof details === 'object' && details !== null && 'signature' in details;
}

/** Returns the error for a failed sign-in: 503 if the provider fails, otherwise 401. */
export function signInError(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const { code, error } = cause as Failure;
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return rejection(cause as Failure);
  if (error === 'invalid_grant') {
    return new Unauthorized('The code of this sign-in was used before or has expired; begin again.');
  }
  if (!provesNothing.has(code ?? '')) return providerError(cause);
  logger.warn(`A sign-in proved nothing: ${describe(cause)}`);
  return new Unauthorized("The identity provider's answer does not prove who you are for this sign-in; begin again.");
}

function rejection(cause: Failure): AppError {
  const { error = 'error', error_description: description } = cause;
  if (providerFails.has(error)) return providerError(cause);
  // Cut the reason, because it arrives through the browser and anyone may have written it.
  const why = [error, description].filter(Boolean).join(': ').slice(0, 300);
  return new Unauthorized(`The identity provider has not signed you in (${why}); begin again.`);
}

/** Describes an error by its message and codes only, because its other properties contain codes and tokens. */
function describe(cause: unknown): string {
  const { code, error, error_description: description } = (cause ?? {}) as Partial<Failure>;
  return [loggedError(cause).message, code, error, description].filter(Boolean).join('; ');
}
