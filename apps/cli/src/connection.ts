import { Failure, WrongUsage } from './failures.js';
import type { Io } from './io.js';
import { defaultProfile, type Profile, type ProfileStore } from './profile-store.js';
import { projectFile } from './project.js';

/** The environment variable with a key, and the `source` of that key. */
export const keyVariable = 'PASSWRIGHT_KEY';

/** The address to send requests to, and the key. */
export interface Connection {
  /** The address without a trailing slash and without `/v1`. */
  url: string;
  key: string;
  /** Describes where the key comes from, for display. */
  source: string;
}

export interface ConnectionChoice {
  url?: string;
  profile?: string;
  projectUrl?: string;
}

/**
 * Finds the service and the key. The address comes from `--url`, PASSWRIGHT_URL, `--profile`, the project's file or the
 * default profile, in this order. The key is PASSWRIGHT_KEY, or else the key of the profile with the same address.
 * PASSWRIGHT_KEY is not sent to an address that only the project's file contains, because someone else may have written
 * the file.
 * @throws Failure that says how to log in, or which profile to choose
 */
export async function connectionOf(
  choice: ConnectionChoice,
  env: Io['env'],
  profiles: ProfileStore,
): Promise<Connection> {
  const named = choice.profile ?? env.PASSWRIGHT_PROFILE;
  const profile = await profiles.find(named ?? defaultProfile);
  if (named && !profile && !env.PASSWRIGHT_KEY) throw loginNeeded(`There is no profile "${named}".`, named);
  const given = choice.url ?? env.PASSWRIGHT_URL ?? (named ? profile?.url : undefined) ?? choice.projectUrl;
  const url = serviceUrl(given ?? profile?.url ?? noAddress());
  if (env.PASSWRIGHT_KEY) {
    if (given === choice.projectUrl && !(choice.url ?? env.PASSWRIGHT_URL)) await requireKnown(url, profiles);
    return { url, key: env.PASSWRIGHT_KEY, source: keyVariable };
  }
  if (named && profile && profile.url !== url) otherAddress(named, profile, url);
  const [name, fitting] = await profileFor(url, named ?? defaultProfile, profile, profiles);
  if (!fitting) throw loginNeeded(`You are not logged in to ${url}.`, named, url);
  return { url, key: fitting.key, source: `profile ${name}` };
}

/**
 * Checks that a profile contains the address of a project.
 * @throws Failure if no profile does
 */
async function requireKnown(url: string, profiles: ProfileStore): Promise<void> {
  if (Object.values(await profiles.all()).some((profile) => profile.url === url)) return;
  throw new Failure(
    `PASSWRIGHT_KEY is not sent to ${url}: only ${projectFile} contains this address, and someone else may have written it.`,
    `If the key is for this service, set PASSWRIGHT_URL=${url} too, or add --url ${url}`,
    'address_unconfirmed',
  );
}

async function profileFor(
  url: string,
  name: string,
  profile: Profile | null,
  profiles: ProfileStore,
): Promise<[string, Profile | undefined]> {
  if (profile?.url === url) return [name, profile];
  const fitting = Object.entries(await profiles.all()).filter(([, other]) => other.url === url);
  if (fitting.length > 1) {
    throw new Failure(
      `Several profiles have the address ${url}: ${fitting.map(([other]) => other).join(', ')}.`,
      'Choose one: --profile <name>',
      'profile_ambiguous',
    );
  }
  return fitting[0] ?? [name, undefined];
}

/**
 * Rejects a named profile whose address is not the requested one.
 * @throws Failure
 */
function otherAddress(name: string, profile: Profile, url: string): never {
  throw new Failure(
    `The profile "${name}" has the address ${profile.url}, not ${url}.`,
    `Leave out the address or the profile, or log in to ${url}: passwright login --profile <name> --url ${url}`,
    'profile_differs',
  );
}

function noAddress(): never {
  throw loginNeeded('No service is known yet.');
}

function loginNeeded(message: string, profile?: string, url?: string): Failure {
  const flags = `${profile ? ` --profile ${profile}` : ''}${url ? ` --url ${url}` : ''}`;
  return new Failure(
    message,
    `Log in: passwright login${flags}\nIn CI set PASSWRIGHT_URL and PASSWRIGHT_KEY.`,
    'not_logged_in',
  );
}

/** Normalises an address for storage and comparison. @throws WrongUsage for an invalid one */
export function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongUsage(
      `"${text}" is not the address of a service.`,
      'Use an address such as https://passes.example.com',
    );
  if (url.username || url.password || url.search || url.hash)
    throw new WrongUsage(`The address of a service has only a host and a path, without user, query or fragment.`);
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
}

/** Returns true if a key would be sent unencrypted over a network. */
export function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/.test(hostname);
}
