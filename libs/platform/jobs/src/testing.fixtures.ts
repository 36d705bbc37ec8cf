import type { Database } from '@passwright/database';
import { CLAIMANT_LOCKS } from './outbound/claimant.service.js';

export { JobDiscoveryService } from './job-discovery.service.js';

/**
 * Holds the lock of the process with this key (see `Claimant`) while `work` runs, so that the process counts as alive.
 */
export async function whileAlive(database: Database, key: number, work: () => Promise<void>): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock_shared(${CLAIMANT_LOCKS}, $1::int)`, [key]);
    await work();
  });
}
