/** What `WebhooksModule.forRoot` takes. */
export abstract class WebhooksOptions {
  /** Hosts (`host` or `host:port`) that may be called although their addresses are private. Default: none. */
  abstract readonly hostsAllowed?: readonly string[];
}
