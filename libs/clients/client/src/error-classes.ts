import { type FailureDetails, PasswrightError } from './passwright-error.js';

/** A failure with one code of the service. */
export interface CodedError<Code extends string> extends PasswrightError {
  readonly code: Code;
}

/** The class of the failures with one code, for \`instanceof\`. */
export interface ErrorClass<Code extends string> {
  new (message: string, details: FailureDetails): CodedError<Code>;
  readonly prototype: CodedError<Code>;
}

const classes = new Map<string, typeof PasswrightError>();

/** Creates the class of a code. A bundle has only the classes that the program imports. */
export function errorClass<Code extends string>(code: Code): ErrorClass<Code> {
  const created = class extends PasswrightError {};
  classes.set(code, created);
  return created as unknown as ErrorClass<Code>;
}

/**
 * Returns the class of a code. Returns the base class if the program does not import that class or this client does not
 * know the code.
 */
export function classOf(code: string): typeof PasswrightError {
  return classes.get(code) ?? PasswrightError;
}
