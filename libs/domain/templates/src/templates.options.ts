/** What `TemplatesModule.forRoot` takes. */
export abstract class TemplatesOptions {
  /** Where the app is reached, without a slash at the end: `https://wallet.example.com`. */
  abstract readonly baseUrl: string;
}
