/** Options of `SelfServiceModule.forRoot`. */
export abstract class SelfServiceOptions {
  /** Public address of the service, without a trailing slash. Links in e-mails start with it. */
  abstract readonly baseUrl: string;
  /** `open`: anyone may register. `closed`: registration returns 403. */
  abstract readonly registration: 'open' | 'closed';
  /**
   * True if users can also sign in through OpenID Connect (`OidcModule`); the invitation page then links to it.
   * Default: false.
   */
  abstract readonly signsInByProvider?: boolean;
  /**
   * The address of the page where users sign in. The pages behind links in e-mails end with a link to it. Default:
   * none.
   */
  abstract readonly signInUrl?: string;
  /** Number of days for which an admin can cancel the deletion of an account. Default: 7. */
  abstract readonly deletionDelayDays?: number;
  /** If false, omits the routes under `/v1/auth` and `/v1/account`, and the pages to which e-mails link. */
  abstract readonly routes?: boolean;
}
