import { scopes, type AuthenticatedRequest, type Principal } from '../http/principal.js';
import { requestOrigin } from '../http/request-origin.js';

const known = new Set<unknown>(scopes);
const isName = (value: unknown) => typeof value === 'string' && value !== '';

/**
 * The rule for each property of a principal. The rules prevent a query with an undefined account, which could read data
 * of any account.
 */
const rules: Record<string, readonly [string, (value: unknown) => boolean]> = {
  kind: ["'user' or 'apiKey'", (value) => value === 'user' || value === 'apiKey'],
  id: ['a string that is not empty', isName],
  accountId: ['a string that is not empty', isName],
  scopes: [`a list of ${scopes.join(', ')}`, (value) => Array.isArray(value) && value.every((each) => known.has(each))],
};

/**
 * Returns the principal that a guard of the app has set; undefined if there is none.
 * @throws Error if it is not a `Principal`, which is a programming error of that guard
 */
export function givenPrincipal({ principal }: AuthenticatedRequest): Principal | undefined {
  if (principal === undefined || principal === null) return undefined;
  const given = principal as unknown as Record<string, unknown>;
  for (const [name, [expected, isValid]] of Object.entries(rules)) {
    if (!isValid(given[name]))
      throw new Error(`A guard of this app has set request.principal.${name}, which must be ${expected}.`);
  }
  return principal;
}

/** Records the caller of a request, for the audit trail, the rate limits and the fair shares of tenants. */
export function attributeRequest(request: AuthenticatedRequest, principal: Principal, share: string): void {
  request.principal = principal;
  request.share = share;
  const origin = requestOrigin();
  if (!origin) return;
  origin.principal = principal;
  origin.share = share;
}
