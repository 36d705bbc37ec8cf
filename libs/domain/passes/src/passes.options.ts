/** The options of `PassesModule.forRoot`. */
export abstract class PassesOptions {
  /** The public address of the service, without a trailing slash: every link handed out begins with it. */
  abstract readonly baseUrl: string;
}
