import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const secretNames = ['ACCESS_TOKEN_SECRET', 'PASS_TOKEN_SECRET', 'MASTER_KEYS'] as const;
type Secrets = Readonly<Record<(typeof secretNames)[number], string>>;

/** The file of secrets cannot be used; names it and the way out. */
export class SecretsFailed extends Error {
  /** @param problem what follows «secrets.json» in a sentence */
  constructor(file: string, problem: string) {
    super(
      `${file} ${problem}. Restore it from a backup. Delete it only where nothing of value is in that ` +
        'data folder: passes on phones, sessions and sealed keys depend on these secrets.',
    );
    this.name = 'SecretsFailed';
  }
}

/**
 * The secrets given, completed in development by ones made at first start and kept in `dataDir/secrets.json`, which only
 * its owner can read. In production all are given, and nothing is written.
 */
export function developmentSecrets(dataDir: string, given: Partial<Secrets>): Secrets {
  if (isComplete(given)) return given;
  const kept = keptSecrets(dataDir);
  const completed = secretNames.map((name) => [name, given[name] ?? kept[name]]);
  return Object.fromEntries(completed) as Secrets;
}

/**
 * A file of an earlier version lacks secrets of later ones. Of several processes starting at once one has its new
 * secrets taken: the one that links its offer into place. An offer goes only once the file is complete, so whoever still
 * finds the file incomplete after having read an offer has read that one.
 */
function keptSecrets(dataDir: string): Secrets {
  const [file, offer] = [join(dataDir, 'secrets.json'), join(dataDir, 'secrets.offer.json')];
  mkdirSync(dataDir, { recursive: true });
  for (;;) {
    const kept = read(file);
    if (kept && isComplete(kept)) return kept;
    write(dataDir, newSecrets(), (draft) => linkSync(draft, offer));
    const offered = read(offer);
    if (!offered) continue;
    const latest = { ...offered, ...read(file) };
    write(dataDir, latest, (draft) => renameSync(draft, file));
    rmSync(offer, { force: true });
  }
}

function newSecrets(): Secrets {
  const secret = () => randomBytes(32).toString('base64');
  return { ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret(), MASTER_KEYS: `development:${secret()}` };
}

function isComplete(secrets: Partial<Secrets>): secrets is Secrets {
  return secretNames.every((name) => secrets[name]);
}

/** Null when there is no such file. */
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

/** Written aside and put into place whole, so that nobody reads half a file; harmless when something is there already. */
function write(dataDir: string, secrets: Partial<Secrets>, place: (draft: string) => void): void {
  const draft = join(dataDir, `secrets.${process.pid}.${randomBytes(4).toString('hex')}`);
  writeFileSync(draft, JSON.stringify(secrets, null, 2), { mode: 0o600, flush: true });
  try {
    place(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
