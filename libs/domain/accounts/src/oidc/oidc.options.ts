/** The provider that people sign in with, and how this service is known to it. */
export interface OidcProviderOptions {
  /** The issuer as its discovery document names it: https, or http on this machine alone. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the secret is sent; `auto`: in the header where the provider takes it so, else in the body. */
  readonly clientAuthentication: 'auto' | 'basic' | 'post';
  /** `openid` among them, separated by spaces. */
  readonly scopes: string;
  /** Addresses that a sign-in may be handed over to, each as origin and path. */
  readonly returnUrls: readonly string[];
  /** `open`: a person whom nobody has invited gets an account of their own. */
  readonly registration: 'open' | 'closed';
}

/** What `OidcModule.forRoot` takes. */
export abstract class OidcOptions {
  /** Public address of the service, without a slash at its end; the provider sends people back to a path below it. */
  abstract readonly baseUrl: string;
  /** Null: sign-in by OpenID Connect is off, and its routes answer 404. */
  abstract readonly provider: OidcProviderOptions | null;
}
