import { callerChosenId, ValidationFailed } from '@passwright/core';
import type { PassAddress } from '@passwright/passes';
import { maxBundlePasses } from '@passwright/wallet-renderers';
import { BundleTooLarge } from './bundles.errors.js';

/** The address of a pass in a bundle, and the name that the request uses for it. */
export interface BundledAddress extends PassAddress {
  /** The name of the pass in the request: `TEMPLATE:PASS`. */
  readonly name: string;
}

/**
 * Parses `?pass=TEMPLATE:PASS&pass=…`. @param asked the values of all `pass` parameters
 * @throws ValidationFailed for a request without passes, or with a malformed or repeated pass. @throws BundleTooLarge
 * for more than 10 passes
 */
export function bundledAddresses(accountId: string, asked: unknown): BundledAddress[] {
  const names = [asked ?? []].flat() as unknown[];
  if (names.length === 0)
    throw new ValidationFailed(['pass must be given 1 to 10 times, as ?pass=TEMPLATE:PASS&pass=…']);
  if (names.length > maxBundlePasses) throw new BundleTooLarge(names.length);
  const problems = names.flatMap((name, at) => problemsOf(name, names.slice(0, at)));
  if (problems.length > 0) throw new ValidationFailed(problems);
  return (names as string[]).map((name) => {
    const [templateId = '', passId = ''] = name.split(':');
    return { accountId, templateId, passId, name };
  });
}

/** Returns the query for these passes, without the question mark. */
export function bundleQuery(addresses: readonly BundledAddress[]): string {
  return addresses.map(({ name }) => `pass=${encodeURIComponent(name)}`).join('&');
}

function problemsOf(name: unknown, before: readonly unknown[]): string[] {
  const ids = typeof name === 'string' ? name.split(':') : [];
  if (ids.length !== 2 || !ids.every((id) => callerChosenId.test(id))) {
    return [`pass must be TEMPLATE:PASS, the ids of a template and of its pass, not "${String(name).slice(0, 64)}"`];
  }
  return before.includes(name) ? [`pass must not name "${String(name)}" twice`] : [];
}
