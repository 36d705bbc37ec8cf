/** Options of `BillingModule.forRoot`. All of them are optional. */
export abstract class BillingOptions {
  /** Set to false to omit the routes under `/v1/account/usage`. */
  abstract readonly routes?: boolean;
}
