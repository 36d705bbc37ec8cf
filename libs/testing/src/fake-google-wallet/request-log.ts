/** Which of Google's hosts a request is for: `walletobjects.googleapis.com`, `oauth2…`, `pay.google.com` (two uses). */
export type GoogleService = 'api' | 'token' | 'save' | 'keys';

/** A request that the stand-in has read, whatever became of it. */
export interface GoogleRequest {
  readonly service: GoogleService;
  /** What `X-HTTP-Method-Override` says, where it is there. */
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Parsed where it is JSON, else the text; null when there is none. */
  readonly body: unknown;
  readonly at: Date;
  /** Null as long as there is no answer, and when none was sent on purpose. */
  status: number | null;
  /** Of a refusal by the API: `permissionDenied`. */
  reason: string | null;
}

const SECOND_MS = 1000;

/** How often the API is asked: in sliding seconds of real time, whatever the clock of the test says. */
export class RequestRate {
  /** Milliseconds at which requests came, in order. */
  private readonly arrivals: number[] = [];
  /** Those of the last second that were let through. */
  private admitted: number[] = [];

  constructor(private readonly elapsedMs: () => number) {}

  /** @returns false when it is one more in a second than the limit: such a one does not count against later ones */
  admits(limit: number): boolean {
    const now = this.elapsedMs();
    this.arrivals.push(now);
    this.admitted = this.admitted.filter((at) => at > now - SECOND_MS);
    if (this.admitted.length >= limit) return false;
    this.admitted.push(now);
    return true;
  }

  /** The most requests that came within any one second. */
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
