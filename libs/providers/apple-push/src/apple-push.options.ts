/** The options of `ApplePushModule.forRoot`. */
export abstract class ApplePushOptions {
  /**
   * The https address of the push service. Null means Apple's `https://api.push.apple.com`, which accepts only
   * certificates from Apple.
   */
  abstract readonly url: string | null;
  /** PEM text of the authority that issued the push service's certificate, or null for a well-known authority. */
  abstract readonly ca: string | null;
}
