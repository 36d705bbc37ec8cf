import type { EntityManager } from 'typeorm';
import { inSharedTransaction } from './shared-transaction.js';

/** Has `transaction` on its prototype, as TypeORM's manager has. */
class Manager {
  transaction(): Promise<string> {
    return Promise.resolve('nested');
  }
}

const manager = () => new Manager() as unknown as EntityManager;
const nested = (tx: EntityManager) => tx.transaction(() => Promise.resolve());
const REJECTION = 'must not begin a nested transaction';

it('a nested transaction is rejected until the work of all callers has ended', async () => {
  const tx = manager();
  let end: () => void = () => undefined;
  const first = inSharedTransaction(tx, () => new Promise<void>((resolve) => (end = resolve)));
  await inSharedTransaction(tx, () => expect(nested(tx)).rejects.toThrow(REJECTION));
  await expect(nested(tx)).rejects.toThrow(REJECTION);
  end();
  await first;
  await expect(nested(tx)).resolves.toBe('nested');
});

it('a nested transaction is possible again after work that has failed', async () => {
  const tx = manager();
  await expect(inSharedTransaction(tx, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(nested(tx)).resolves.toBe('nested');
});

it('a nested transaction of another transaction is not rejected', async () => {
  const [tx, other] = [manager(), manager()];
  await inSharedTransaction(tx, () => expect(nested(other)).resolves.toBe('nested'));
});
