/** What `ApplePushModule.forRoot` takes. */
export abstract class ApplePushOptions {
  /** The push service, an https address. Null: Apple's, `https://api.push.apple.com`, for certificates that Apple issued. */
  abstract readonly url: string | null;
  /** PEM text of the authority that issued the push service's certificate, when that is none of the well-known ones. */
  abstract readonly ca: string | null;
}
