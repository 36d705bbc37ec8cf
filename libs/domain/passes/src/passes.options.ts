/** Options of `PassesModule.forRoot`. */
export abstract class PassesOptions {
  /** The public address of the service, without a trailing slash. All links start with it. */
  abstract readonly baseUrl: string;
}
