import type { QueryRunner } from 'typeorm';

/**
 * Builds an index while rows are read and written, in a migration without a transaction. Replaces an invalid index that
 * an interrupted run left behind. Waits for every open transaction, however long it takes, but blocks no transaction.
 * @param definition the part after the index name, such as `ON pass (code)`
 */
export async function buildIndex(
  runner: QueryRunner,
  name: string,
  definition: string,
  kind: 'INDEX' | 'UNIQUE INDEX' = 'INDEX',
): Promise<void> {
  await withoutLockTimeout(runner, async () => {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE ${kind} CONCURRENTLY ${name} ${definition}`);
  });
}

/** Drops an index while rows are read and written, in a migration without a transaction. */
export async function dropIndex(runner: QueryRunner, name: string): Promise<void> {
  await withoutLockTimeout(runner, () => runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`));
}

async function withoutLockTimeout(runner: QueryRunner, work: () => Promise<void>): Promise<void> {
  const [before] = (await runner.query('SHOW lock_timeout')) as [{ lock_timeout: string }];
  await runner.query('SET lock_timeout = 0');
  try {
    await work();
  } finally {
    await runner.query(`SET lock_timeout = '${before.lock_timeout}'`);
  }
}
