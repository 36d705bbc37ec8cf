import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The bounds of the histogram in seconds, from the duration of a 304 to the time when clients give up. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A request that has ended. */
export interface EndedRequest {
  readonly method: string;
  /** The pattern of the route, or `none`. Never the URL, which contains ids and serial numbers. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** True if the client disconnected before the end of the response. */
  readonly aborted: boolean;
}

/** Counts and times requests. */
export class RequestMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;
  private readonly aborted: Counter;
  private inFlight = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    this.duration = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Durations of requests in seconds, by method, route pattern and class of status.',
      labelNames: ['method', 'route', 'status'],
      buckets,
      registers,
    });
    this.aborted = new Counter({
      name: 'http_requests_aborted_total',
      help: 'Requests whose client disconnected before it had the whole response.',
      registers,
    });
    new Gauge({
      name: 'http_requests_in_flight',
      help: 'Requests in progress, including this scrape.',
      registers,
      collect: gauge(() => this.inFlight),
    });
  }

  begun(): void {
    this.inFlight++;
  }

  ended({ method, route, status, durationMs, aborted }: EndedRequest): void {
    this.inFlight--;
    if (aborted) this.aborted.inc();
    // Group unknown methods, because each of them would create another series.
    const known = methods.has(method) ? method : 'other';
    this.duration.observe({ method: known, route, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000);
  }
}

/** Builds a collector that sets a gauge to the current value. */
function gauge(value: () => number) {
  return function (this: Gauge): void {
    this.set(value());
  };
}
