import type { Statement } from './wire-query.js';

/** Returns the statement of a call if it is a plain statement whose caller expects a promise; otherwise null. */
export function statementOf([config, values, callback]: readonly unknown[]): Statement | null {
  if (callback !== undefined || typeof values === 'function') return null;
  const given = Array.isArray(values) ? (values as unknown[]) : undefined;
  if (typeof config === 'string') return given ? { text: config, values: given } : { text: config };
  const statement = config as Statement & { submit?: unknown };
  if ('submit' in statement) return null;
  return given ? { ...statement, values: given } : statement;
}

export function isNamed(statement: unknown): statement is Statement & { readonly name: string } {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return false;
  return (statement as Partial<Statement>).name !== undefined;
}

export function withoutName<S extends { readonly name?: string | undefined }>({
  name: _,
  ...statement
}: S): Omit<S, 'name'> {
  return statement;
}

/** Returns true if a text may contain several statements, which must be sent alone. */
export function isScript({ text, values }: Statement): boolean {
  return !values?.length && text.includes(';');
}
