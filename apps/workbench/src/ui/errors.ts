import { PasswrightError, type Problems, problemsOf } from '@passwright/client';

/**
 * Returns the sentences of an error by their form field.
 * @param names the properties of the form
 */
export function problemsIn(error: unknown, names: readonly string[]): Problems {
  if (error instanceof PasswrightError) return problemsOf(messageOf(error), names);
  return { at: new Map(), other: error === null ? [] : [messageOf(error)] };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof PasswrightError)) return String(error);
  return error.code === 'connection_failed' ? 'The service cannot be reached.' : error.message;
}
