/** Options of `IncarnationModule.forRoot`. */
export abstract class IncarnationOptions {
  /** If false, checks for a restore only on request, which suits command-line programs. Default: true. */
  abstract readonly watch?: boolean;

  /**
   * Seconds between two writes to `BlobStorage`, which may cost money. Default: one write for each change, at most one
   * a second.
   */
  abstract readonly markEverySeconds?: number;

  /**
   * Settings that all nodes must share, by name. A node warns if it starts with others than the last one. They are
   * stored in the database, so give a hash of each secret. Default: none.
   */
  abstract readonly settings?: Readonly<Record<string, string>>;
}
