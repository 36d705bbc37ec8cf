/** Options of `GoogleWalletModule.forRoot`. */
export abstract class GoogleWalletOptions {
  /**
   * The public address of the service, without a trailing slash. Google fetches images from it and sends callbacks to
   * it.
   */
  abstract readonly baseUrl: string;
  /** The language of templates that do not name one, as a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
}
