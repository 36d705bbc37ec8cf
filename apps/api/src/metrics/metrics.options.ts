/** Who may read `/metrics`. */
export abstract class MetricsOptions {
  /** What a scraper shows as its bearer token; null when none is set. */
  abstract readonly token: string | null;
  /** Whether they are open to all where no token is set. */
  abstract readonly open: boolean;
}
