/** Options that control access to `/metrics`. */
export abstract class MetricsOptions {
  /** The bearer token that scrapers send; null if none is set. */
  abstract readonly token: string | null;
  /** True makes the metrics public while no token is set. */
  abstract readonly open: boolean;
}
