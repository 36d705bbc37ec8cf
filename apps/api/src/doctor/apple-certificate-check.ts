import type { X509Certificate } from 'node:crypto';
import { type CertificateIdentity, loadSigningMaterial, ResolvedCredentials } from '@passwright/signer';
import { type Finding, type Installation, inProduction, ok, problem, warning } from './finding.js';

export const DAY_MS = 24 * 60 * 60 * 1000;
export const SOON_DAYS = 30;

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

export function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
