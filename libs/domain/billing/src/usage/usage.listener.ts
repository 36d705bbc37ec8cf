/**
 * Supplies SQL for the rows of other libs that the usage counts. Each count is a single SQL statement, so that it
 * counts all rows at the same moment. Mark an implementation with `@Listens(UsageListener)`. **Every process that reads
 * usage or runs jobs needs all implementations.**
 */
export abstract class UsageListener {
  /** Returns a query for the templates whose passes count: one row per template with `account_id`, `template_id`. */
  countedTemplates(): string | null {
    return null;
  }

  /**
   * Returns a query for the expired passes that the counters still count as active: one row per pass with `account_id`,
   * `template_id`.
   * @param now an SQL expression for the current time
   */
  expiredPasses(_now: string): string | null {
    return null;
  }
}
