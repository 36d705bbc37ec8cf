import type { X509Certificate } from 'node:crypto';
import { type CertificateIdentity, loadSigningMaterial, ResolvedCredentials } from '@passwright/signer';
import { endingCertificates } from '@passwright/wallet-credentials';
import { type Finding, type Installation, inProduction, ok, problem, warning } from './finding.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 30;

/** Checks the dates and the chain of the operator's pass type certificate. Reports a development certificate. */
export async function appleCertificateCheck(installation: Installation): Promise<Finding[]> {
  const { config, now } = installation;
  const { identity } = config.signer;
  if (identity.kind === 'development') {
    return [
      inProduction(
        installation,
        'Passes are signed by a development certificate, which no iPhone trusts.',
        'Get a pass type certificate from Apple and set APPLE_CERTIFICATE and APPLE_PRIVATE_KEY; see docs/apple-setup.md.',
      ),
    ];
  }
  const { development } = await identityOf(identity, now);
  const { certificate, intermediate } = loadSigningMaterial(identity);
  const findings = [
    dateFinding('The Apple Wallet certificate', certificate, now),
    dateFinding("Apple's intermediate certificate", intermediate, now),
  ];
  return [
    ...findings.filter(({ verdict }, index) => index === 0 || verdict !== 'ok'),
    development
      ? inProduction(
          installation,
          'The chain does not end at Apple: iPhones reject what it signs.',
          "Use a certificate that Apple issued, with Apple's intermediate in APPLE_INTERMEDIATE.",
        )
      : ok('Its chain ends at Apple Root CA.'),
  ];
}

/** Reads the identity of any certificate, even an expired one. */
async function identityOf(identity: CertificateIdentity, now: Date): Promise<{ development: boolean }> {
  const { certificate, intermediate } = loadSigningMaterial(identity);
  const inDate = new Date(
    Math.min(
      Math.max(now.getTime(), Date.parse(certificate.validFrom), Date.parse(intermediate.validFrom)),
      Date.parse(certificate.validTo),
      Date.parse(intermediate.validTo),
    ),
  );
  const credentials = await ResolvedCredentials.load({ identity }, { now: () => inDate });
  return credentials.of('');
}

/**
 * Reports whether a certificate is valid, expires soon, or has expired.
 * @param what the beginning of the sentence
 */
function dateFinding(what: string, certificate: X509Certificate, now: Date): Finding {
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  const renew = 'Renew it in Apple’s developer portal for the same Pass Type ID; installed passes keep working.';
  if (now > to) return problem(`${what} expired on ${day(to)}.`, renew);
  if (now < from) {
    return problem(`${what} is not valid before ${from.toISOString()}.`, 'Check the clock of this machine.');
  }
  const days = Math.floor((to.getTime() - now.getTime()) / DAY_MS);
  const found = `${what} is valid to ${day(to)}, ${days} days.`;
  return days <= SOON_DAYS ? warning(found, renew) : ok(found);
}

/**
 * Checks how long the accounts' own certificates stay valid, and whether the master keys still decrypt the accounts'
 * keys and the secrets of webhooks.
 */
export async function accountCredentialsCheck({ config, database, now }: Installation): Promise<Finding[]> {
  if (database.kind !== 'open') return [];
  const { source } = database;
  const horizon = new Date(now.getTime() + SOON_DAYS * DAY_MS);
  const { ending, all } = await endingCertificates(source, horizon);
  const findings = ending.map(({ account, passType, expiresAt }) => {
    const what = `The certificate of "${passType}" that account ${account} has brought`;
    const fix = 'Its admins have been notified by e-mail; they must upload a renewed one.';
    return expiresAt < now
      ? problem(`${what} expired on ${day(expiresAt)}.`, fix)
      : warning(`${what} expires on ${day(expiresAt)}.`, fix);
  });
  const lost = await lostKeys(source, new Set(config.encryptedSecrets.masterKeys.map(({ id }) => id)));
  if (findings.length + lost.length > 0) return [...findings, ...lost];
  return [ok(`${all} certificates of accounts: none expires within ${SOON_DAYS} days.`)];
}

/** The tables and columns with data encrypted under the master keys. */
const encrypted = [
  ['apple_certificate', 'private_key'],
  ['apple_certificate_request', 'private_key'],
  ['google_service_account', 'private_key'],
  ['webhook', 'secret'],
  ['webhook', 'previous_secret'],
  ['encryption_key', 'wrapped'],
] as const;

/**
 * Builds the SQL that reads the id of the master key from encrypted bytes. They begin with the version, the length of
 * the id, and the id.
 */
const keyId = (column: string) => `convert_from(substring(${column} FROM 3 FOR get_byte(${column}, 1)), 'LATIN1')`;

/**
 * Reports master keys that encrypt stored data but are not in `known`.
 * @param source a database whose schema is that of this release
 */
export async function lostKeys(
  source: { query<T>(sql: string): Promise<T> },
  known: ReadonlySet<string>,
): Promise<Finding[]> {
  const ids = encrypted.map(
    ([table, column]) => `SELECT account_id, ${keyId(column)} AS id FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  const used = await source.query<{ id: string; accounts: number }[]>(
    `SELECT id, count(DISTINCT account_id)::int AS accounts
       FROM (${ids.join(' UNION ALL ')}) AS encrypted
      GROUP BY id ORDER BY id`,
  );
  return used
    .filter(({ id }) => !known.has(id))
    .map(({ id, accounts }) =>
      problem(
        `Keys or secrets of ${accounts} accounts are encrypted under the master key "${id}", which is not in MASTER_KEYS.`,
        'Add it to MASTER_KEYS again, behind the others, and restart.',
      ),
    );
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
