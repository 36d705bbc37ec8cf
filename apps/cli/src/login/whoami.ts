import { clientOf, type Context } from '../context.js';

/** `passwright whoami`: asks the service, so that it also shows whether the key works. */
export async function whoami(context: Context): Promise<void> {
  const { output } = context;
  const { url, key, source } = await context.connection();
  const account = await (await clientOf(url, key)).getAccount({ signal: context.io.signal });
  const id = /^pw_[a-z]+_([^_]+)_/.exec(key)?.[1];
  output.result({ url, accountId: account.id, accountName: account.name, keySource: source, keyId: id ?? null });
  output.table([
    ['Service', url],
    ['Account', `${account.name} (${account.id})`],
    ['Key', `${id ? `pw_live_${id}_…` : 'an access token'}, from ${source}`],
  ]);
}
