/** Options of `WebhooksModule.forRoot`. */
export abstract class WebhooksOptions {
  /** The public address of the service, without a trailing slash, for mails. */
  abstract readonly baseUrl: string;
  /** Hosts (`host` or `host:port`) that may be called by http and at private addresses. Default: none. */
  abstract readonly hostsAllowed?: readonly string[];
}
