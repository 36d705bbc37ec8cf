import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecretForeign } from '@passwright/apple-wallet';
import { differingSettings } from '@passwright/database';
import { QueryFailedError } from 'typeorm';
import { nodeSettings } from '../config/node-settings.js';
import { variables } from '../config/variables/variables.js';
import { type Finding, type Installation, ok, problem, warning } from './finding.js';

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';

/**
 * Checks that the installation does not use the example secrets of the documentation, that only the owner can read its
 * secrets, that phones have registered under its PASS_TOKEN_SECRET, and that the nodes use the same settings.
 */
export async function secretsCheck(installation: Installation): Promise<Finding[]> {
  const { config } = installation;
  const findings = [
    ...published(installation),
    ...(await developmentFile(installation)),
    ...(await foreignTokens(installation)),
    ...(await foreignSettings(installation)),
  ];
  if (!config.production && config.server.baseUrl.startsWith('https://')) {
    findings.push(
      warning(
        'NODE_ENV is not production, though BASE_URL is a public address: registration is open and errors reveal more.',
        'Set NODE_ENV=production, and the secrets it asks for.',
      ),
    );
  }
  if (config.production && config.selfService.registration === 'open') {
    findings.push(
      warning('Anybody may register an account (REGISTRATION=open).', 'Set REGISTRATION=closed unless you want that.'),
    );
  }
  if (findings.length > 0) return findings;
  return [ok(config.production ? 'All secrets are set.' : 'The service makes and keeps the development secrets.')];
}

/** Finds secrets that are published in the documentation. */
function published({ config }: Installation): Finding[] {
  const used = {
    ACCESS_TOKEN_SECRET: config.accounts.accessTokenSecret,
    PASS_TOKEN_SECRET: config.appleWallet.passTokenSecret,
    METRICS_TOKEN: config.metrics.token,
  } as const;
  const known = (Object.keys(used) as (keyof typeof used)[]).filter((name) => used[name] === variables[name].example);
  const example = variables.MASTER_KEYS.example;
  const isMasterKnown = config.encryptedSecrets.masterKeys.some(({ key }) =>
    example.endsWith(Buffer.from(key).toString('base64')),
  );
  const findings = [...known, ...(isMasterKnown ? ['MASTER_KEYS'] : [])].map((name) =>
    problem(`${name} is the example of the documentation.`, 'Make one of your own: openssl rand -base64 32'),
  );
  if (config.accounts.accessTokenSecret === config.appleWallet.passTokenSecret) {
    findings.push(
      problem(
        'ACCESS_TOKEN_SECRET and PASS_TOKEN_SECRET are the same.',
        'Set another ACCESS_TOKEN_SECRET; it only signs everybody out. Never change PASS_TOKEN_SECRET.',
      ),
    );
  }
  return findings;
}

/** Finds a PASS_TOKEN_SECRET that differs from that of the nodes with which phones have registered. */
async function foreignTokens({ config, database }: Installation): Promise<Finding[]> {
  if (database.kind !== 'open') return [];
  const isForeign = await isSecretForeign(database.source, config.appleWallet.passTokenSecret).catch(ifMissing(false));
  if (!isForeign) return [];
  return [
    problem(
      'The phones have registered under another PASS_TOKEN_SECRET: passes from a node with this one never update.',
      'Set the PASS_TOKEN_SECRET of the other nodes. If you have replaced it on purpose, this ends with time.',
    ),
  ];
}

/** Finds settings that differ from those of the node that started last. */
async function foreignSettings({ config, database }: Installation): Promise<Finding[]> {
  if (database.kind !== 'open') return [];
  const names = await differingSettings(database.source, nodeSettings(config)).catch(ifMissing([]));
  return names.map((name) =>
    warning(
      `The node that started last has another ${name} than this one.`,
      `Set the same ${name} for all nodes. If you have just replaced it, restart them.`,
    ),
  );
}

/** Returns a handler that replaces the error of a missing table or column, because `databaseCheck` reports the schema. */
function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    const { code } = (error instanceof QueryFailedError ? error.driverError : error) as { code?: string };
    if (code !== UNDEFINED_TABLE && code !== UNDEFINED_COLUMN) throw error;
    return value;
  };
}

async function developmentFile({ config }: Installation): Promise<Finding[]> {
  if (config.production || process.platform === 'win32') return [];
  const file = join(config.dataDir, 'secrets.json');
  const mode = await stat(file).then(
    (stats) => stats.mode & 0o077,
    () => 0,
  );
  return mode === 0 ? [] : [problem(`Users other than its owner may read ${file}.`, `chmod 600 '${file}'`)];
}
