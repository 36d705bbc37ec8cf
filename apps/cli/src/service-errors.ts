import type { PasswrightError } from '@passwright/client';
import { keyVariable } from './connection.js';
import type { Context } from './context.js';
import { Failure } from './failures.js';
import { duration } from './number-format.js';

/**
 * Returns true if the service rejected a request, for the reason `code` if given. Checks the shape of the error,
 * because its class is loaded later.
 */
export function isRejected(error: unknown, code?: string): error is PasswrightError {
  const { statusCode, code: its } = (error ?? {}) as Partial<PasswrightError>;
  return error instanceof Error && typeof statusCode === 'number' && (code === undefined || its === code);
}

/** The hints for errors whose message is not sufficient. */
const hints: Record<string, string> = {
  unauthorized: 'The key is unknown, revoked or expired. Log in again: passwright login',
  token_expired: 'Log in again: passwright login',
  api_key_required: 'This needs an API key: passwright login',
  internal: 'The service failed. Its log has details for this request id.',
  connection_failed: 'Check the address, and that the service is running.',
  timed_out: 'The service is slow or hangs; try again in a minute.',
  unexpected_response: 'Is this the address of a Passwright service?',
};

/** The errors for which a login helps, unless the key comes from the environment. */
const ofKeys = ['unauthorized', 'token_expired', 'api_key_required'];

/** Prints the error of a run. All errors have the same form. */
export function sayFailure(error: unknown, { output, keySource }: Pick<Context, 'output' | 'keySource'>): void {
  if (error instanceof Failure) return output.failure(error.message, error);
  if (isRejected(error)) {
    const hint = [hintOf(error, keySource), error.requestId && `Request id: ${error.requestId}`]
      .filter(Boolean)
      .join('\n');
    return output.failure(error.message, { hint, code: error.code, docUrl: error.docUrl });
  }
  output.failure(error instanceof Error ? error.message : String(error));
}

function hintOf({ code, message, retryAfterSeconds }: PasswrightError, keySource: string | null): string | undefined {
  if (keySource === keyVariable && ofKeys.includes(code))
    return `The key is from ${keyVariable}: set it to a valid key, or unset it and log in: passwright login`;
  if (code === 'rate_limited' && retryAfterSeconds !== null) return `Try again in ${duration(retryAfterSeconds)}.`;
  if (code === 'rate_limited') return 'The service limits how often it is called. Try again in a minute.';
  return code === 'forbidden' ? keyWith(missingScope(message)) : hints[code];
}

/** Returns the missing scope that the service's error message names; null if it names none. */
export function missingScope(message: string): string | null {
  return /lacks the scope ([a-z]+:[a-z]+)/.exec(message)?.[1] ?? null;
}

/** Returns a hint on how to get a key with more scopes. */
export function keyWith(scopes: string | null): string | undefined {
  if (scopes === null) return undefined;
  return (
    `An admin can create such a key: passwright login --email <address> (it has all scopes), ` +
    `or POST /v1/auth/keys with ${scopes} among its "scopes".\nTo see what the current key allows: passwright whoami`
  );
}
