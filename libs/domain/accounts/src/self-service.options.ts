/** Options of `SelfServiceModule.forRoot`: `{}`. */
export abstract class SelfServiceOptions {
  /** False leaves out the routes under `/v1/auth` and `/v1/account`, and the pages that mails link to. */
  abstract readonly routes?: boolean;
}
