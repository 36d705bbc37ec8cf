import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Secrets {
  readonly ACCESS_TOKEN_SECRET: string;
  readonly PASS_TOKEN_SECRET: string;
}

/**
 * The secrets given, completed in development by ones made at first start and kept in `dataDir/secrets.json`, which only
 * its owner can read. In production both are given, and nothing is written.
 */
export function developmentSecrets(dataDir: string, given: Partial<Secrets>): Secrets {
  const { ACCESS_TOKEN_SECRET, PASS_TOKEN_SECRET } = given;
  if (ACCESS_TOKEN_SECRET && PASS_TOKEN_SECRET) return { ACCESS_TOKEN_SECRET, PASS_TOKEN_SECRET };
  const kept = keptSecrets(dataDir);
  return {
    ACCESS_TOKEN_SECRET: ACCESS_TOKEN_SECRET ?? kept.ACCESS_TOKEN_SECRET,
    PASS_TOKEN_SECRET: PASS_TOKEN_SECRET ?? kept.PASS_TOKEN_SECRET,
  };
}

function keptSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  mkdirSync(dataDir, { recursive: true });
  // Written aside and linked into place: of several processes starting at once one wins, and none reads half a file.
  const draft = join(dataDir, `secrets.${process.pid}.${randomBytes(4).toString('hex')}`);
  const secret = () => randomBytes(32).toString('base64');
  const made: Secrets = { ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret() };
  writeFileSync(draft, JSON.stringify(made, null, 2), { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
}
