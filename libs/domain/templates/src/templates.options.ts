/** Options of `TemplatesModule.forRoot`. */
export abstract class TemplatesOptions {
  /** The address of the app, without a trailing slash: `https://wallet.example.com`. */
  abstract readonly baseUrl: string;
  /** The language, as a BCP 47 tag, for templates that do not name a language. Default: `en`. */
  abstract readonly language?: string;
}
