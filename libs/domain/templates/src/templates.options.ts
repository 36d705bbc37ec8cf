/** The options of `TemplatesModule.forRoot`. */
export abstract class TemplatesOptions {
  /** The address of the app, without a slash at the end: `https://wallet.example.com`. */
  abstract readonly baseUrl: string;
}
