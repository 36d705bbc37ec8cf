/** Options of `PassPagesModule.forRoot`. */
export abstract class PassPagesOptions {
  /** The public address of the service, without a trailing slash. All links start with it. */
  abstract readonly baseUrl: string;
  /** The BCP 47 tag of the language of templates that name none. Default: `en`. */
  abstract readonly language?: string;
}
