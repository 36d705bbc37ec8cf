import type { EntityManager } from 'typeorm';

/** The number of calls that share each transaction now. */
const sharing = new WeakMap<EntityManager, number>();

/**
 * Runs work whose parts use one transaction simultaneously. Until it ends, `tx` and the ambient transaction reject
 * nested transactions, because a savepoint of one part would undo statements of other parts.
 */
export async function inSharedTransaction<T>(tx: EntityManager, work: () => Promise<T>): Promise<T> {
  const add = (calls: number) => {
    const now = (sharing.get(tx) ?? 0) + calls;
    sharing.set(tx, now);
    return now;
  };
  // This covers every nested transaction, because TypeORM has one manager for a transaction and all its savepoints.
  if (add(1) === 1) tx.transaction = () => Promise.reject(new Error(MISUSE));
  try {
    return await work();
  } finally {
    if (add(-1) === 0) delete (tx as Partial<EntityManager>).transaction;
  }
}

const MISUSE =
  'A pass listener must not begin a nested transaction, because other listeners use the same transaction now. ' +
  'Run the statements on the "tx" that the listener gets, or add a job.';
