import { migrations, serverUrls } from '@passwright/database';
import type { DataSource } from 'typeorm';
import { adviceOnPrimaries, databaseAt } from '../prepare-database.js';
import { type Finding, type Installation, ok, problem, reasonOf, warning } from './finding.js';

const OLDEST_SERVER = 14;
const SKEW_MS = 2000;
/** The code of `NotPrimary`: no server accepts writes. */
const NO_PRIMARY = '25006';

/**
 * Checks that the database is reachable, that its version and schema suit this release, and that its clock agrees with
 * this machine's.
 */
export async function databaseCheck(installation: Installation): Promise<Finding[]> {
  const { config, database } = installation;
  if (database.kind === 'none') {
    return [
      warning(
        `There is no database yet in ${config.dataDir}.`,
        'Start the service once, or set DATA_DIR or DATABASE_URL as the service has them.',
      ),
    ];
  }
  if (database.kind === 'failed') {
    const { url, directUrl, pooled } = config.database;
    if (url && directUrl)
      return [unreachable(pooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL', directUrl, database.error)];
    return [
      problem(`The embedded Postgres does not run: ${reasonOf(database.error)}.`, 'See its log in DATA_DIR/postgres.'),
    ];
  }
  const { source, report } = database;
  const findings = [...(await serverFindings(source)), ...(await schemaFindings(source))];
  if (!report) findings.push(embeddedFinding(installation));
  return findings;
}

function embeddedFinding(installation: Installation): Finding {
  return installation.config.production
    ? warning(
        'It is the embedded Postgres, which serves a single node and has no backups of its own.',
        'Set DATABASE_URL to a Postgres that you back up.',
      )
    : ok('It is the embedded Postgres of a single node.');
}

async function serverFindings(source: DataSource): Promise<Finding[]> {
  const sentAt = Date.now();
  const [server] = await source.query<{ number: number; name: string; now: Date }[]>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name,
            clock_timestamp() AS now`,
  );
  const tookMs = Date.now() - sentAt;
  if (!server) throw new Error('the server reported nothing about itself');
  const skewMs = server.now.getTime() - (sentAt + tookMs / 2);
  return [
    server.number >= OLDEST_SERVER * 10_000
      ? ok(`Postgres ${server.name} responds in ${tookMs} ms.`)
      : problem(`The server is Postgres ${server.name}.`, `Upgrade it: the service needs ${OLDEST_SERVER} or newer.`),
    Math.abs(skewMs) <= SKEW_MS + tookMs
      ? ok('The clocks of this machine and of the database agree.')
      : warning(
          `The clock of the database is ${seconds(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
          'Keep both by NTP: updates, expiry and tokens depend on them.',
        ),
  ];
}

async function schemaFindings(source: DataSource): Promise<Finding[]> {
  const [table] = await source.query<{ there: boolean }[]>(`SELECT to_regclass('migration') IS NOT NULL AS there`);
  const applied = table?.there ? await source.query<{ name: string }[]>('SELECT name FROM migration') : [];
  const names = new Set(applied.map(({ name }) => name));
  const known = migrations.map(({ name }) => name);
  const missing = known.filter((name) => !names.has(name));
  const unknown = [...names].filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    return [
      problem(
        `The schema is of a newer version: ${unknown.join(', ')}.`,
        'Run this command, and every node, from that newer version.',
      ),
    ];
  }
  if (missing.length === 0) return [ok(`The schema is that of this version (${known.length} migrations).`)];
  return [
    problem(
      `The schema lacks ${missing.length} of ${known.length} migrations: ${missing.join(', ')}.`,
      'Start this version of the service once: it brings the schema up to date.',
    ),
  ];
}

/** Reports why the database that a variable names does not respond. */
export function unreachable(variable: string, url: string, error: unknown): Finding {
  const reason = reasonOf(error);
  const { pathname, username } = new URL(serverUrls(url)[0]);
  const where = databaseAt(url);
  const { code } = error as NodeJS.ErrnoException;
  if (code?.startsWith('28')) {
    return problem(`${where} refuses the role ${username}: ${reason}.`, `Check user and password of ${variable}.`);
  }
  if (code === '3D000') {
    return problem(`${where} does not exist.`, `Create it: CREATE DATABASE ${pathname.slice(1)} OWNER ${username};`);
  }
  const advice = adviceOnPrimaries(variable, error);
  if (advice) return problem(`${where} cannot be used: ${reason}.`, advice);
  if (code === NO_PRIMARY) {
    return problem(
      `${where} cannot be used: ${reason}.`,
      `Name the primary in ${variable}, or promote a standby that it names.`,
    );
  }
  return problem(
    `${where} cannot be reached: ${reason}.`,
    `Check host and port of ${variable}, that the server runs, and that nothing between blocks the port.`,
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
