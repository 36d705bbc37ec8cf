/** Options of `AppleCertificatesModule.forRoot`. */
export abstract class AppleCertificatesOptions {
  /** The public address of the service, without a trailing slash. E-mails link to its routes. */
  abstract readonly baseUrl: string;
  /** The recipient of notices about the operator's own certificate. Without it, the service logs a warning. */
  abstract readonly operatorEmail?: string;
  /**
   * Sends pushes under development certificates too, for operators with a push service of their own. Default: false.
   */
  abstract readonly pushesDevelopmentPasses?: boolean;
}
