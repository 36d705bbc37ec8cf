import { endingCertificates } from '@passwright/wallet-credentials';
import { day, DAY_MS, SOON_DAYS } from './apple-certificate-check.js';
import { type Finding, type Installation, ok, problem, warning } from './finding.js';
import { lostKeys } from './lost-master-keys.js';

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
