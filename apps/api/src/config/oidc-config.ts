import type { OidcOptions } from '@passwright/accounts';
import { variables, type Values } from './variables/variables.js';

/**
 * Lists the problems of an OpenID Connect configuration: missing required variables and, in production, an issuer
 * without https.
 */
export function missingForOidc(environment: Readonly<Record<string, string | undefined>>): string[] {
  const all = Object.keys(environment).filter((name) => name.startsWith('OIDC_'));
  if (all.every((name) => !environment[name])) return [];
  const required = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  const problems = required
    .filter((name) => !environment[name])
    .map((name) => `${name} is missing; for example ${name}=${variables[name].example}`);
  if (environment.NODE_ENV === 'production' && environment.OIDC_ISSUER?.startsWith('http:')) {
    problems.push(
      `OIDC_ISSUER must be an https address in production; for example OIDC_ISSUER=${variables.OIDC_ISSUER.example}`,
    );
  }
  return problems;
}

/** Returns the configured provider; null if there is none. Sign-ins may always return to the workbench. */
export function oidcProvider(values: Values, baseUrl: string): OidcOptions['provider'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  if (!issuer || !clientId || !clientSecret) return null;
  return {
    ...{ issuer, clientId, clientSecret },
    clientAuthentication: values.OIDC_CLIENT_AUTHENTICATION,
    scopes: values.OIDC_SCOPES,
    returnUrls: [...values.OIDC_RETURN_URLS, `${baseUrl}/workbench`],
    registration: values.OIDC_REGISTRATION,
  };
}
