/** Options of `GoogleWalletModule.forRoot`. */
export abstract class GoogleWalletOptions {
  /**
   * The public address of the service, without a trailing slash. Google fetches images from it and sends callbacks to
   * it.
   */
  abstract readonly baseUrl: string;
  /** The language of templates and passes as a BCP 47 tag, which Google Wallet requires. Default: `en`. */
  abstract readonly language?: string;
}
