/** Options that control access to `/metrics`. */
export abstract class MetricsOptions {
  /** The bearer token that scrapers send; null if none is set. */
  abstract readonly token: string | null;
  /** If true, the metrics are public while no token is set. */
  abstract readonly open: boolean;
}
