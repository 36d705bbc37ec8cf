/** Options that control access to `/metrics`. */
export abstract class MetricsOptions {
  /** The bearer token of a scraper; null when none is set. */
  abstract readonly token: string | null;
  /** True if the metrics are public while no token is set. */
  abstract readonly open: boolean;
}
