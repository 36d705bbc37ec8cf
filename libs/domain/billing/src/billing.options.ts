/** Options of `BillingModule.forRoot`: `{}`. */
export abstract class BillingOptions {
  /** False leaves out `GET /v1/account/usage`. */
  abstract readonly routes?: boolean;
}
