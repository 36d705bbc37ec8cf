/** The identity provider and this service's registration with it. */
export interface OidcProviderOptions {
  /** The issuer as its discovery document names it: an https URL, or http on localhost. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * How the service sends the client secret. `auto`: in the header if the provider accepts it there, else in the body.
   */
  readonly clientAuthentication: 'auto' | 'basic' | 'post';
  /** Scopes separated by spaces, including `openid`. */
  readonly scopes: string;
  /** Addresses that a sign-in may return to, each as origin and path. */
  readonly returnUrls: readonly string[];
  /** `open`: a person without an invitation gets their own account. */
  readonly registration: 'open' | 'closed';
}

/** Options of `OidcModule.forRoot`. */
export abstract class OidcOptions {
  /** Public address of the service, without a trailing slash. The provider redirects browsers to a path below it. */
  abstract readonly baseUrl: string;
  /**
   * The address of the page where users sign in. Sign-ins in a browser without `returnTo` end with a link to it.
   * Default: none.
   */
  abstract readonly signInUrl?: string;
  /** Null disables sign-in through OpenID Connect, and its routes return 404. */
  abstract readonly provider: OidcProviderOptions | null;
}
