import { renderEmail } from '@passwright/accounts';
import type { Mail } from '@passwright/core';
import { daysLeft } from '../apple-certificates/expiry-stage.js';

/** The certificate and the recipient of the mail. */
export interface ExpiryMailContent {
  readonly passTypeIdentifier: string;
  readonly teamIdentifier: string;
  readonly organizationName: string;
  readonly fingerprint: string;
  readonly expiresAt: Date;
  /** The account that owns the certificate; null for the operator's. */
  readonly accountName: string | null;
  /** The public address of the service. */
  readonly baseUrl: string;
}

/**
 * Builds a mail that explains when a certificate expires, what then stops working, and how to renew it. Plain text and
 * HTML have the same content.
 */
export function expiryMail(content: ExpiryMailContent, now: Date): Pick<Mail, 'subject' | 'text' | 'html'> {
  const isOver = content.expiresAt < now;
  const end = `${dateOf(content.expiresAt)} UTC`;
  const when = isOver ? `expired on ${end}` : `expires ${inDays(daysLeft(content.expiresAt, now))}, on ${end}`;
  const whose = content.accountName === null ? "the operator's passes" : `the passes of ${content.accountName}`;
  const subject = `Apple Wallet certificate ${content.passTypeIdentifier.slice(0, 120)} ${when}`;
  return renderEmail({
    subject,
    heading: isOver ? 'The Apple Wallet certificate has expired' : 'The Apple Wallet certificate has to be renewed',
    paragraphs: [
      `The Apple Wallet certificate that signs ${whose} at ${content.baseUrl} ${when}.`,
      isOver ? 'Since then:' : 'From then on:',
      { points: consequences },
      'To renew it:',
      { steps: content.accountName === null ? operatorSteps(content) : accountSteps(content) },
      'Keep the Pass Type ID. If you renew under the same one, every installed pass updates again; holders need not add anything.',
    ],
    facts: factsOf(content),
  });
}

const consequences = [
  'No new pass can be added to Apple Wallet: downloads return 503 wallet_unavailable.',
  'Installed passes stay valid, but no longer update, and no push is sent.',
  'Templates, passes and web pages keep working.',
];

function factsOf(content: ExpiryMailContent): [string, string][] {
  return [
    ['Pass Type ID', content.passTypeIdentifier],
    ['Team', `${content.teamIdentifier} (${content.organizationName})`],
    ['Expires', `${dateOf(content.expiresAt)} UTC`],
    ['SHA-256', content.fingerprint],
  ];
}

function portalStep(passTypeIdentifier: string): string {
  return (
    "In Apple's developer portal, under Certificates, Identifiers & Profiles, make a new Pass Type ID certificate for " +
    `${passTypeIdentifier} with that request, and download the .cer file.`
  );
}

function accountSteps({ baseUrl, passTypeIdentifier }: ExpiryMailContent): string[] {
  return [
    `POST ${baseUrl}/v1/account/walletA/request answers a certificate signing request; its key stays with the service.`,
    portalStep(passTypeIdentifier),
    `PUT ${baseUrl}/v1/account/walletA with {"certificate": "<the .cer file in base64>"}. It is in use at once.`,
  ];
}

function operatorSteps({ passTypeIdentifier }: ExpiryMailContent): string[] {
  return [
    'Make a request: openssl req -new -newkey rsa:2048 -nodes -keyout pass.key -out pass.csr -subj /CN=pass',
    portalStep(passTypeIdentifier),
    'Convert it (openssl x509 -inform DER -in pass.cer -out pass.pem), configure certificate and key, and restart the service.',
  ];
}

function inDays(days: number): string {
  if (days === 0) return 'within a day';
  return days === 1 ? 'in 1 day' : `in ${days} days`;
}

/** Formats a date: `1 March 2027, 12:00` */
function dateOf(date: Date): string {
  return date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
}
