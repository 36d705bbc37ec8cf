import { hostname } from 'node:os';
import { clientOf, type Context } from '../context.js';
import { isExposed, serviceUrl } from '../connection.js';
import { Failure, WrongUsage } from '../failures.js';
import { defaultProfile, type Profile } from '../profile-store.js';
import { isRejected } from '../service-errors.js';

export interface LoginOptions {
  key?: boolean;
  email?: string;
  account?: string;
}

/** The scopes of a new key: all of them, so that it can revoke itself and run `watch` and `doctor`. */
const scopes = [
  'templates:read',
  'templates:write',
  'passes:read',
  'passes:write',
  'members:read',
  'members:write',
  'account:read',
  'account:write',
] as const;

const localService = 'http://localhost:3000';

/** Runs `passwright login`: gets a key, checks it and stores it. */
export async function login(context: Context, options: LoginOptions): Promise<void> {
  const { io, output, profiles } = context;
  if (options.key && options.email) throw new WrongUsage('Give either --key or --email.');
  const name = context.options.profile ?? io.env.PASSWRIGHT_PROFILE ?? defaultProfile;
  const before = await profiles.find(name);
  const url = await addressOf(context, before?.url);
  if (isExposed(url)) output.warn(`${url} is not https: anyone on the network path can read your key.`);
  const email = options.key ? undefined : (options.email ?? (await emailOrKey(context)));
  const profile = email ? await keyFromSignIn(context, url, email, options.account) : await keyFromPerson(context, url);
  await profiles.save(name, profile);
  // Revoke the previous key, which would stay valid although no profile has it any more.
  if (before?.keyId && before.key !== profile.key) await revokeQuietly(context, before);
  output.result({ profile: name, ...shown(profile) });
  output.line(
    `Logged in to ${url}, account ${profile.accountName}${name === defaultProfile ? '' : `, as profile ${name}`}.`,
  );
  output.line(output.style('dim', `The key is in ${profiles.path}, which only you can read.`));
}

/** Returns a profile without its key. */
export function shown({ url, accountId, accountName, keyId }: Profile): object {
  return { url, accountId, accountName, keyId: keyId ?? null };
}

async function addressOf(context: Context, known: string | undefined): Promise<string> {
  const { options, io, prompt } = context;
  const project = await context.findProject();
  const given =
    options.url ?? io.env.PASSWRIGHT_URL ?? (options.profile ? (known ?? project?.url) : (project?.url ?? known));
  if (given) return serviceUrl(given);
  if (!prompt.possible) throw new WrongUsage('The address of the service is missing.', `Add it: --url ${localService}`);
  return serviceUrl(await prompt.ask('Address of the service', localService));
}

/** Asks for an e-mail. @returns an empty text if the user wants to enter a key instead */
async function emailOrKey({ prompt }: Context): Promise<string> {
  if (!prompt.possible)
    throw new WrongUsage(
      'The login method is missing.',
      'Add --key with an API key on stdin, or --email with the password on stdin.\nIn CI set PASSWRIGHT_URL and PASSWRIGHT_KEY instead.',
    );
  return prompt.ask('Your e-mail (leave empty to use an API key)');
}

/** Asks for a secret. Shows the address that receives it, because it may come from another person's project. */
async function secret({ prompt }: Context, what: string, url: string): Promise<string> {
  const text = prompt.possible ? await prompt.askSecret(`${what} for ${url}`) : await prompt.readAll();
  if (text) return text;
  throw new WrongUsage(`${what} is empty.`, 'Type it at the prompt, or send it on stdin.');
}

async function keyFromPerson(context: Context, url: string): Promise<Profile> {
  const key = await secret(context, 'API key', url);
  try {
    const account = await clientOf(url, key).getAccount();
    return { url, key, accountId: account.id, accountName: account.name };
  } catch (error) {
    if (isRejected(error, 'unauthorized'))
      throw new Failure(
        `${url} does not know this key.`,
        'Was it copied completely? It begins with pw_live_ or pw_test_.',
        error.code,
      );
    throw error;
  }
}

async function keyFromSignIn(context: Context, url: string, email: string, accountId?: string): Promise<Profile> {
  const password = await secret(context, 'Password', url);
  const guest = clientOf(url);
  const body = { email, password, ...(accountId && { accountId }) };
  const { accessToken, refreshToken } = await guest.login({ body, retries: 0 }).catch((error: unknown) => {
    if (!isRejected(error, 'unauthorized')) throw error;
    throw new Failure(error.message, `Forgotten? ${url}/password/forgot`, error.code);
  });
  const client = clientOf(url, accessToken);
  try {
    const { id, key } = await client.createApiKey({ body: { name: keyName(), scopes: [...scopes] } });
    const account = await clientOf(url, key).getAccount();
    return { url, key, keyId: id, accountId: account.id, accountName: account.name };
  } catch (error) {
    if (!isRejected(error, 'forbidden')) throw error;
    throw new Failure(
      'Only admins of an account can create keys, and you are not an admin.',
      'Ask an admin for a key, then: passwright login --key',
      error.code,
    );
  } finally {
    // End the session, because only the key is stored.
    await guest.logout({ body: { refreshToken } }).catch(() => undefined);
  }
}

/** Returns a key name that identifies this machine in the list of keys. */
function keyName(): string {
  const host = hostname()
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, 60);
  return `Passwright on ${host || 'a machine'}`;
}

async function revokeQuietly({ output }: Context, { url, key, keyId }: Profile): Promise<void> {
  try {
    await clientOf(url, key).revokeApiKey({ keyId: keyId ?? '' });
  } catch {
    output.warn(
      `The key of the previous login, ${keyId}, could not be revoked; revoke it in the account's list of keys.`,
    );
  }
}
