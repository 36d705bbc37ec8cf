import type { Move } from './account-copy.js';
import { OperatorFailed } from './operator-session.js';

/**
 * Lists the keys by which the proxy recognises requests of the account: the account, its own pass type, and the ids of
 * its API keys and open invitations, which do not name the account in earlier versions.
 */
export async function mapLines({ database, target, name, accountId }: Move): Promise<string[]> {
  const values = (table: string, column: string) => `SELECT ${column} FROM ${name(table)} WHERE account_id = $1`;
  const sql = [
    values('apple_certificate', 'pass_type_identifier'),
    values('api_key', 'id'),
    values('invite', 'id'),
  ].join(' UNION ');
  const found = await Promise.all([database, target].map((each) => each.query<object[]>(sql, [accountId])));
  const keys = found.flat().map((row) => String(Object.values(row)[0]));
  return [accountId.replace(/^acc_/, ''), ...new Set(keys.sort())];
}

/**
 * A phone that asks for changed passes names only its pass type. So the proxy can send it to one group only.
 * @throws OperatorFailed if phones have passes of the account with a pass type of others
 */
export async function requireOwnPassType({ database, name, accountId }: Move): Promise<void> {
  const [shared] = await database.query<{ pass_type_identifier: string }[]>(
    `SELECT DISTINCT pass_type_identifier FROM ${name('apple_device')} d WHERE account_id = $1
       AND NOT (EXISTS (SELECT FROM ${name('apple_certificate')} c
           WHERE c.account_id = $1 AND c.pass_type_identifier = d.pass_type_identifier)
         AND NOT EXISTS (SELECT FROM ${name('apple_device')} o
           WHERE o.pass_type_identifier = d.pass_type_identifier AND o.account_id <> $1))`,
    [accountId],
  );
  if (!shared) return;
  throw new OperatorFailed(
    `Phones have passes of the account with the pass type ${shared.pass_type_identifier}, which is not its own. A phone ` +
      'asks for all passes of a type at once, so a type belongs to one group. Give the account a certificate of its own.',
  );
}
