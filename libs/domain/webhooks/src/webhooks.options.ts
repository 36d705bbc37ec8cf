/** What `WebhooksModule.forRoot` takes. */
export abstract class WebhooksOptions {
  /** Public address of the service, without a slash at the end, as mails name it. */
  abstract readonly baseUrl: string;
  /** Hosts (`host` or `host:port`) that may be called although their addresses are private, also by http. Default: none. */
  abstract readonly hostsAllowed?: readonly string[];
}
