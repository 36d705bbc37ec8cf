import { createHash } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { AccountMembersService } from '@passwright/accounts';
import { DataSource } from 'typeorm';
import type { Move } from './account-copy.js';
import { getAccount } from './account-outcome.js';
import { namesIn } from './account-tables.js';
import type { Outcome } from './operator-command.js';
import { OperatorFailed } from './operator-session.js';

/**
 * Lists the lines of the proxy's map that send an account's requests to a group. They name the account, its own pass
 * type, hashes of e-mail addresses, and ids that do not contain the account.
 */
export async function routesOutcome(
  services: INestApplicationContext,
  accountId: string,
  group: string,
): Promise<Outcome> {
  await getAccount(services, accountId);
  const database = services.get(DataSource);
  const name = await namesIn(database);
  const keysIn = async (table: string, column: string) =>
    (
      await database.query<{ key: string }[]>(
        `SELECT ${column} AS key FROM ${name(table)} WHERE account_id = $1 ORDER BY 1`,
        [accountId],
      )
    ).map(({ key }) => key);
  const members = await services.get(AccountMembersService).list(accountId);
  const keys = [
    accountId.replace(/^acc_/, ''),
    ...(await keysIn('apple_certificate', 'pass_type_identifier')),
    ...members.map(({ user }) => createHash('sha256').update(user.email.toLowerCase()).digest('hex')),
    ...(await keysIn('api_key', 'id')),
    ...(await keysIn('invite', 'id')),
  ];
  return { text: keys.map((key) => `${key} ${group}\n`).join(''), data: { id: accountId, group, keys } };
}

/**
 * Checks that phones know passes of the account only under its own pass type, because the proxy selects a group by the
 * pass type.
 * @throws OperatorFailed if another account may use the pass type
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

/**
 * Lists the other accounts that share users with this account. All accounts of a user must be in one group, because the
 * proxy sends each user to one group.
 */
export async function accountsOfItsUsers({ database, name, accountId }: Move): Promise<string[]> {
  const members = name('account_member');
  const rows = await database.query<{ id: string }[]>(
    `SELECT DISTINCT other.account_id AS id FROM ${members} here JOIN ${members} other USING (uid)
     WHERE here.account_id = $1 AND other.account_id <> $1 ORDER BY 1`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}
