/** The options of `GoogleWalletModule.forRoot`. */
export abstract class GoogleWalletOptions {
  /** The public address of the service, without a trailing slash: Google fetches images and sends callbacks there. */
  abstract readonly baseUrl: string;
  /** The language of templates and passes, as a BCP 47 tag, which Google Wallet asks for. Default: `en`. */
  abstract readonly language?: string;
}
