/** The Google service of a request: `walletobjects.googleapis.com`, `oauth2…` or `pay.google.com` (two services). */
export type GoogleService = 'api' | 'token' | 'save' | 'keys';

/** A request that the fake has read, with or without a response. */
export interface GoogleRequest {
  readonly service: GoogleService;
  /** The method, or `X-HTTP-Method-Override` if present. */
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The parsed JSON, or else the text; null if there is no body. */
  readonly body: unknown;
  readonly at: Date;
  /** The status of the response; null if there was none. */
  status: number | null;
  /** The reason with which the API rejected the request, such as `permissionDenied`. */
  reason: string | null;
}

const SECOND_MS = 1000;

/** Measures the rate of API requests over the last second of real time, independent of the test's clock. */
export class RequestRate {
  /** The times of requests in milliseconds, in order. */
  private readonly arrivals: number[] = [];
  /** The times of the allowed requests within the last second. */
  private admitted: number[] = [];

  constructor(private readonly elapsedMs: () => number) {}

  /**
   * Counts a request.
   * @returns false if it exceeds the limit, in which case it does not count
   */
  admits(limit: number): boolean {
    const now = this.elapsedMs();
    this.arrivals.push(now);
    this.admitted = this.admitted.filter((at) => at > now - SECOND_MS);
    if (this.admitted.length >= limit) return false;
    this.admitted.push(now);
    return true;
  }

  /** Returns the maximum number of requests within one second. */
  mostInASecond(): number {
    let most = 0;
    let first = 0;
    this.arrivals.forEach((at, index) => {
      while ((this.arrivals[first] ?? at) <= at - SECOND_MS) first++;
      most = Math.max(most, index - first + 1);
    });
    return most;
  }

  clear(): void {
    this.arrivals.length = 0;
    this.admitted = [];
  }
}
