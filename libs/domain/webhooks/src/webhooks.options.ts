/** Options of `WebhooksModule.forRoot`. */
export abstract class WebhooksOptions {
  /** The public address of the service, without a trailing slash. Mails link to it. */
  abstract readonly baseUrl: string;
  /** Hosts (`host` or `host:port`) that webhooks may call over http and at private IP addresses. Default: none. */
  abstract readonly hostsAllowed?: readonly string[];
}
