/** Options of `TemplatesModule.forRoot`. */
export abstract class TemplatesOptions {
  /** The address of the app, without a trailing slash: `https://wallet.example.com`. */
  abstract readonly baseUrl: string;
}
