import { generateKeyPair, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { GoogleServiceAccount } from '@passwright/core';

const FILE = 'service-account.json';
/** An id that no Google issuer has, because Google's ids begin with 33880000000. */
const ISSUER_ID = '1000000000000000000';
const CLIENT_EMAIL = 'passwright@development.invalid';

/**
 * Loads the development service account from a Google key file in `dir`, and creates the file on first use. Only the
 * owner can read it. Several processes may start simultaneously, because the file is always complete or absent.
 * @throws Error if the file is damaged
 */
export async function loadDevelopmentServiceAccount(dir: string): Promise<GoogleServiceAccount> {
  return (await read(dir)) ?? (await make(dir));
}

async function make(dir: string): Promise<GoogleServiceAccount> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const keyFile = {
    type: 'service_account',
    client_email: CLIENT_EMAIL,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  await mkdir(dir, { recursive: true });
  const draft = join(dir, `${FILE}.${randomUUID()}.tmp`);
  try {
    await writeFile(draft, `${JSON.stringify(keyFile, null, 2)}\n`, { mode: 0o600, flush: true });
    await link(draft, join(dir, FILE));
  } catch (error) {
    // Another process was first, so use its account.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const made = await read(dir);
  if (!made) throw new Error(`The development service account in ${dir} disappeared while it was made.`);
  return made;
}

async function read(dir: string): Promise<GoogleServiceAccount | null> {
  const path = join(dir, FILE);
  try {
    const { client_email, private_key } = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
    if (!client_email || !private_key) throw new Error('it lacks client_email or private_key');
    return { issuerId: ISSUER_ID, clientEmail: client_email, privateKeyPem: private_key };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${path} cannot be read (${(error as Error).message}). Delete it to have a new one made.`, {
      cause: error,
    });
  }
}
