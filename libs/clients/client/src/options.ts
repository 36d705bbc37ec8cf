/** The address of the service and the settings of its client. */
export interface PasswrightOptions {
  /** The address, for example `https://passes.example.com`. */
  readonly baseUrl: string;
  /** An API key or access token, or a function that returns the current one before each attempt. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Replaces the global fetch, for example for a proxy or a connection pool. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The maximum number of retries. Default: 3. */
  readonly retries?: number | undefined;
  /** The time limit for one attempt and its whole response, in milliseconds; `Infinity` for none. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the client's name and version in the header `User-Agent`. */
  readonly userAgent?: string | undefined;
  /** Called before each attempt. May change its headers, for example to add trace headers. */
  readonly onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called when the headers of each response have arrived, for logs and metrics. */
  readonly onResponse?: ((response: ReceivedResponse) => void) | undefined;
}

/** One attempt of a call. */
export interface SentRequest {
  /** The operation id, for example `createPass`. */
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** The headers to send, including `Authorization`. */
  readonly headers: Record<string, string>;
}

/** The response to an attempt. */
export interface ReceivedResponse extends Omit<SentRequest, 'headers'> {
  readonly status: number;
  readonly headers: Headers;
  /** The time from the request to the headers of the response. */
  readonly durationMs: number;
}

/** Options of every call, in addition to its parameters. */
export interface CallOptions {
  /** Ends the call, even between two attempts. The call then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's setting. */
  readonly timeoutMs?: number | undefined;
  /** Overrides the client's setting. */
  readonly retries?: number | undefined;
  /** Additional headers of this call. They replace the client's own headers of the same name, except `Content-Type`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
