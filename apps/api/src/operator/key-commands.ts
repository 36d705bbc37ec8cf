import { AccountMembersService, ApiKeysService, type ApiKeyResponse } from '@passwright/accounts';
import type { Command } from 'commander';
import { getAccount } from './account-outcome.js';
import type { Act } from './operator-command.js';
import { table } from './table.js';

const account = ['--account <accountId>', 'the id of the account'] as const;

/** Adds the `users` commands for the people of an account. */
export function addUserCommands(program: Command, act: Act): void {
  program
    .command('users')
    .description('Show the users of an account')
    .command('list')
    .description('List the users of an account, oldest membership first')
    .requiredOption(...account)
    .action(
      act(async (services, { account: accountId }: { account: string }) => {
        await getAccount(services, accountId);
        const users = await services.get(AccountMembersService).list(accountId);
        const text = table(users, {
          uid: ({ uid }) => uid,
          email: ({ user }) => user.email,
          name: ({ user }) => user.name,
          role: ({ user }) => (user.isAdmin ? 'admin' : 'user'),
        });
        return { text, data: users };
      }),
    );
}

/** Adds the `keys` commands for the API keys of an account. */
export function addKeyCommands(program: Command, act: Act): void {
  const keys = program.command('keys').description('Manage the API keys of an account');
  keys
    .command('list')
    .description('List the API keys of an account, the newest first, without their secrets')
    .requiredOption(...account)
    .action(
      act(async (services, { account: accountId }: { account: string }) => {
        await getAccount(services, accountId);
        const found = await allKeys(services.get(ApiKeysService), accountId);
        const text = table(found, {
          id: ({ id }) => id,
          name: ({ name }) => name,
          created: ({ createdAt }) => createdAt,
          'last used': ({ lastUsedAt }) => lastUsedAt,
          expires: ({ expiresAt }) => expiresAt,
          scopes: ({ scopes }) => scopes.join(' '),
        });
        return { text, data: found };
      }),
    );
  keys
    .command('revoke')
    .description('Revoke an API key and its open invitations, immediately and on every node')
    .argument('<keyId>')
    .requiredOption(...account)
    .action(
      act(async (services, keyId: string, { account: accountId }: { account: string }) => {
        await getAccount(services, accountId);
        await services.get(ApiKeysService).revoke(accountId, keyId);
        return { text: `The key ${keyId} is revoked.\n`, data: { id: keyId, revoked: true } };
      }),
    );
}

async function allKeys(keys: ApiKeysService, accountId: string): Promise<ApiKeyResponse[]> {
  const all: ApiKeyResponse[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await keys.list(accountId, { limit: 100, cursor });
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}
