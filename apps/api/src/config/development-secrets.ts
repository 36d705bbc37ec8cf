import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const secretNames = ['ACCESS_TOKEN_SECRET', 'PASS_TOKEN_SECRET', 'MASTER_KEYS'] as const;
type Secrets = Readonly<Record<(typeof secretNames)[number], string>>;

/** The secrets file cannot be used. The message names the file and the remedy. */
export class SecretsFailed extends Error {
  /** @param problem the end of a sentence that begins with «secrets.json» */
  constructor(file: string, problem: string) {
    super(
      `${file} ${problem}. Restore it from a backup. Delete it only if nothing of value is in that ` +
        'data folder: passes on phones, sessions and encrypted keys depend on these secrets.',
    );
    this.name = 'SecretsFailed';
  }
}

/**
 * Adds the missing secrets. In development, they come from `dataDir/secrets.json`, which the first start creates, and
 * which only the owner can read. In production, no secret may be missing.
 * @param options.readOnly if the file does not exist, returns new secrets without storing them. Default: false
 * @throws SecretsFailed if the file cannot be used or lacks a secret, because a new secret could not decrypt existing
 * data
 */
export function developmentSecrets(dataDir: string, given: Partial<Secrets>, { readOnly = false } = {}): Secrets {
  if (secretNames.every((name) => given[name])) return given as Secrets;
  const file = join(dataDir, 'secrets.json');
  const stored = readOnly ? (read(file) ?? newSecrets()) : storedSecrets(dataDir, file);
  const all = { ...stored, ...present(given) };
  const missing = secretNames.filter((name) => typeof all[name] !== 'string' || all[name] === '');
  if (missing.length > 0) throw new SecretsFailed(file, `is damaged: it has no valid ${missing.join(', ')}`);
  return all as Secrets;
}

/**
 * Returns the stored secrets, and creates them if the file does not exist. Processes that start simultaneously use the
 * secrets of the first one.
 */
function storedSecrets(dataDir: string, file: string): Partial<Secrets> {
  for (;;) {
    const stored = read(file);
    if (stored) return stored;
    create(dataDir, file);
  }
}

const present = (given: Partial<Secrets>) => Object.fromEntries(Object.entries(given).filter(([, secret]) => secret));

/** Returns null if the file does not exist. */
function read(file: string): Partial<Secrets> | null {
  try {
    const secrets: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof secrets === 'object' && secrets !== null && !Array.isArray(secrets)) return secrets;
  } catch (error) {
    const { code = 'error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (!(error instanceof SyntaxError)) throw new SecretsFailed(file, `cannot be read (${code})`);
  }
  throw new SecretsFailed(file, 'is damaged: it is not a JSON object');
}

/**
 * Writes new secrets to a separate file and links it into place, so that no process reads a partial file. Keeps an
 * existing file.
 */
function create(dataDir: string, file: string): void {
  const draft = join(dataDir, `secrets.${process.pid}.${randomBytes(4).toString('hex')}`);
  writeFileSync(draft, JSON.stringify(newSecrets(), null, 2), { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function newSecrets(): Secrets {
  const secret = () => randomBytes(32).toString('base64');
  return { ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret(), MASTER_KEYS: `development:${secret()}` };
}
