/** The options of `PassPagesModule.forRoot`. */
export abstract class PassPagesOptions {
  /** The public address of the service, without a trailing slash: every link begins with it. */
  abstract readonly baseUrl: string;
}
