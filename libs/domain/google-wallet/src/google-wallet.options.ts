/** Options of `GoogleWalletModule.forRoot`. */
export abstract class GoogleWalletOptions {
  /**
   * The public address of the service, without a trailing slash. Google fetches images from it and sends callbacks to
   * it.
   */
  abstract readonly baseUrl: string;
  /** The BCP 47 tag of the language of templates that do not name a language. Default: `en`. */
  abstract readonly language?: string;
}
