import type { ItemOf, Passwright } from '@passwright/client';
import { clientOf, type Context } from '../context.js';
import { isRejected, missingScope } from '../service-errors.js';

/** Runs `passwright whoami`. Asks the service, which also tests the key. */
export async function whoami(context: Context): Promise<void> {
  const { output, io } = context;
  const { url, key, source } = await context.connection();
  const client = clientOf(url, key);
  const account = await orLacking(client.getAccount({ signal: io.signal }));
  const [prefix, id] = /^pw_[a-z]+_([^_]+)(?=_)/.exec(key) ?? [];
  const scopes = await scopesOf(client, id, io.signal);
  const { id: accountId = null, name: accountName = null, test = null } = account ?? {};
  output.result({ url, accountId, accountName, test, keySource: source, keyId: id ?? null, scopes });
  output.table([
    ['Service', url],
    [
      'Account',
      account
        ? `${account.name} (${account.id})${account.test ? ', a test account' : ''}`
        : 'not shown: the key lacks the scope account:read',
    ],
    ['Key', `${prefix ? `${prefix}_…` : 'an access token'}, from ${source}`],
    ['Scopes', scopes?.join(', ') ?? 'not shown: only a key with account:write can read them'],
  ]);
}

/** Returns the scopes of an API key from the account's list of keys; null if the key may not read that list. */
async function scopesOf(client: Passwright, id: string | undefined, signal: AbortSignal): Promise<string[] | null> {
  if (id === undefined) return null;
  const find = async (): Promise<ItemOf<'listApiKeys'> | undefined> => {
    for await (const key of client.each('listApiKeys', { signal })) if (key.id === id) return key;
    return undefined;
  };
  return (await orLacking(find()))?.scopes ?? null;
}

/** Returns the response, or null if the key lacks the required scope. */
async function orLacking<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isRejected(error, 'forbidden') && missingScope(error.message)) return null;
    throw error;
  }
}
