import { type FailureDetails, PasswrightError } from './passwright-error.js';

/** An error with one specific code of the service. */
export interface CodedError<Code extends string> extends PasswrightError {
  readonly code: Code;
}

/** The class of all errors with one specific code. Use it with `instanceof`. */
export interface ErrorClass<Code extends string> {
  new (message: string, details: FailureDetails): CodedError<Code>;
  readonly prototype: CodedError<Code>;
}

const classes = new Map<string, typeof PasswrightError>();

/** Creates the error class for a code, so that a bundle contains only the classes that the program imports. */
export function errorClass<Code extends string>(code: Code): ErrorClass<Code> {
  const created = class extends PasswrightError {};
  classes.set(code, created);
  return created as unknown as ErrorClass<Code>;
}

/**
 * Returns the error class for a code; the base class for an unknown code, or if the program does not import the class.
 */
export function classOf(code: string): typeof PasswrightError {
  return classes.get(code) ?? PasswrightError;
}
