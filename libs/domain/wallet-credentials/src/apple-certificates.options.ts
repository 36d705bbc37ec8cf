/** Options of `AppleCertificatesModule.forRoot`. */
export abstract class AppleCertificatesOptions {
  /** The public address of the service, without a trailing slash. E-mails link to its routes. */
  abstract readonly baseUrl: string;
  /** The recipient of notices about the operator's own certificate. Without it, the service logs a warning. */
  abstract readonly operatorEmail?: string;
  /**
   * True to send pushes with development certificates too, which needs the operator's own push service. Default: false.
   */
  abstract readonly pushesDevelopmentPasses?: boolean;
}
