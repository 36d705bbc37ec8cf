/** Options of `GoogleServiceAccountsModule.forRoot`, all optional. */
export abstract class GoogleServiceAccountsOptions {
  /** Set to false to omit the routes under `/v1/account/walletB`. */
  abstract readonly routes?: boolean;
}
