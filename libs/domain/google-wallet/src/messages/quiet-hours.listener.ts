import type { EntityManager } from 'typeorm';

/** Provides the quiet hours of accounts. Mark implementations with `@Listens`. */
export abstract class QuietHoursListener {
  /**
   * Returns the end of the quiet hours that contain `at`; null outside of quiet hours. @param tx the transaction in
   * which to read
   */
  abstract quietUntil(accountId: string, at: Date, tx?: EntityManager): Promise<Date | null>;
}
