/**
 * The rows of other libs that usage counts, as SQL: each count is one statement, so that it is of one moment. An
 * implementation is marked `@Listens(UsageListener)`. **Every process that reads usage or runs jobs needs all of them.**
 */
export abstract class UsageListener {
  /** Returns a query of the templates whose passes count: `account_id`, `template_id`. */
  countedTemplates(): string | null {
    return null;
  }

  /**
   * Returns a query of the passes that have expired and that the counters still count as active: `account_id`,
   * `template_id`, a row for each.
   * @param now the present time, as an expression of SQL
   */
  expiredPasses(_now: string): string | null {
    return null;
  }
}
