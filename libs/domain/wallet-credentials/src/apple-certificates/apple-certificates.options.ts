/** What `AppleCertificatesModule.forRoot` takes. */
export abstract class AppleCertificatesOptions {
  /** Public address of the service, without a slash at its end: e-mails name its routes. */
  abstract readonly baseUrl: string;
  /** Who is told when the operator's own certificate nears its end; without it there is a warning in the log. */
  abstract readonly operatorEmail?: string;
  /** Pushes go out under development certificates too, as the push service is one of the operator's own. Default false. */
  abstract readonly pushesDevelopmentPasses?: boolean;
}
