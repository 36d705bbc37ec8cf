/** Where the service is, and how it is called. */
export interface PasswrightOptions {
  /** Such as `https://passes.example.com`. */
  readonly baseUrl: string;
  /** An API key or access token, or what gives the present one: it is asked before each attempt. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Instead of the global one: for a proxy or a connection pool of your own. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How often a call that may be repeated is repeated; 3. */
  readonly retries?: number;
  /** For one attempt and its whole answer, in milliseconds; 30,000. */
  readonly timeoutMs?: number;
  /** Instead of the client's name and version. */
  readonly userAgent?: string;
}

/** What every call takes beside its parameters. */
export interface CallOptions {
  /** Ends the call, also between two attempts; it fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Instead of the client's. */
  readonly timeoutMs?: number;
  /** Instead of the client's. */
  readonly retries?: number;
}
