import { z } from 'zod';
import { commaSeparated } from './variable-forms.js';

/** Returns true if an address is https, or http on this machine. */
function isSecure({ protocol, hostname }: URL): boolean {
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

/** Returns true if an address has no query, no fragment and no user. */
const isBare = (text: string) => URL.canParse(text) && !/[?#]/.test(text) && new URL(text).username === '';

/** An OpenID Connect issuer, exactly as in the provider's own metadata, including a trailing slash. */
const issuer = z
  .string()
  .refine((text) => isBare(text) && isSecure(new URL(text)), 'must be an https address, or http on localhost')
  .refine((text) => !text.includes('/.well-known/'), 'must be the issuer, without /.well-known/openid-configuration')
  .optional();

/** Visible ASCII characters and spaces, as in client ids and secrets (RFC 6749, appendix A). */
const printable = z.string().regex(/^[\x20-\x7e]{1,2000}$/, 'must be 1 to 2000 printable ASCII characters');

/** OAuth scopes, separated by spaces. */
const openIdScopes = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e ]{1,1000}$/, 'must be scopes with spaces between them')
  .refine((text) => text.split(' ').includes('openid'), 'must have openid among its scopes');

/** The addresses that sign-ins return to, each an origin with a path. */
const returnUrls = commaSeparated
  .refine(
    (all) => all.every((text) => isBare(text) && isSecure(new URL(text))),
    'must be https addresses (or http on localhost) with commas between them, without a query or fragment',
  )
  .transform((all) => all.map((text) => new URL(text).href));

/** The variables of sign-in by OpenID Connect. */
export const oidcVariables = {
  OIDC_ISSUER: {
    schema: issuer,
    about:
      'Issuer address of the OpenID Connect provider for sign-in, in addition to passwords (docs/sign-in.md). ' +
      'Unset: no provider. Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    example: 'https://login.example.com',
  },
  OIDC_CLIENT_ID: {
    schema: printable.optional(),
    about: 'Client id of this service at the provider. Register the redirect URI BASE_URL/v1/auth/oidc/callback there.',
    example: 'passwright',
  },
  OIDC_CLIENT_SECRET: {
    schema: printable.optional(),
    about: 'Client secret of this service at the provider. Or OIDC_CLIENT_SECRET_FILE.',
    example: 'V3ry-l0ng-s3cret-from-the-provider',
  },
  OIDC_CLIENT_AUTHENTICATION: {
    schema: z.enum(['auto', 'basic', 'post'], 'must be auto, basic or post').default('auto'),
    about:
      'Method by which the secret is sent: basic, post, or auto to use what the provider announces. Default: auto.',
    example: 'post',
  },
  OIDC_SCOPES: {
    schema: openIdScopes.default('openid email profile'),
    about: 'Scopes that the service requests. Default: openid email profile.',
    example: 'openid email profile',
  },
  OIDC_RETURN_URLS: {
    schema: returnUrls,
    about:
      'Addresses (comma-separated) to which a sign-in may return. Default: none; browsers then end on a page with a link to the workbench, and programs get the tokens as JSON.',
    example: 'https://app.example.com/signed-in',
  },
  OIDC_REGISTRATION: {
    schema: z.enum(['open', 'closed'], 'must be open or closed').default('closed'),
    about:
      'open: people without an invitation get an account when they sign in with the provider. closed: they do not. Default: closed.',
    example: 'open',
  },
} as const;
