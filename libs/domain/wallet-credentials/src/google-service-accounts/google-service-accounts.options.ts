/** What `GoogleServiceAccountsModule.forRoot` takes: `{}`. */
export abstract class GoogleServiceAccountsOptions {
  /** False leaves out the routes under `/v1/account/walletB`. */
  abstract readonly routes?: boolean;
}
