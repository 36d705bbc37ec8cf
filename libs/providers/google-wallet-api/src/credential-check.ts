import type { GoogleServiceAccount } from '@passwright/core';
import type { GoogleCredential } from './accounts/google-credential.js';
import { type AccessTokens, TokenRejected } from './api/access-tokens.js';
import type { Deadline } from './api/deadline.js';
import type { Reply, WalletApi } from './api/wallet-api.js';

/**
 * A class that never exists. Google's response, «not found» or «forbidden», shows whether the credential has access.
 */
const ABSENT_CLASS = 'passwright.check';
/** Google's error texts for an API that is not enabled, in both error formats. */
const NOT_ENABLED = /accessNotConfigured|SERVICE_DISABLED|has not been used in project|is disabled/;

/**
 * Checks a credential against Google. @returns null if the credential can read its issuer's resources, otherwise the
 * reason as a sentence
 */
export async function checkCredential(
  credential: GoogleCredential,
  { api, tokens, deadline }: { readonly api: WalletApi; readonly tokens: AccessTokens; readonly deadline: Deadline },
): Promise<string | null> {
  try {
    // Do not use a cached failure, because the problem may have been fixed.
    await deadline.within(tokens.fetch(credential));
  } catch (error) {
    if (!(error instanceof TokenRejected)) return notNow((error as Error).message);
    if (error.outcome === 'retry') return notNow(error.message);
    return `${error.message} Is the key still listed at the service account in Google Cloud, and this machine's clock right?`;
  }
  const path = `/genericClass/${credential.identity.issuerId}.${ABSENT_CLASS}`;
  const reply = await api.send({ method: 'GET', path }, { credential, urgency: 'holder', deadline });
  return problemOf(reply, credential.identity);
}

function problemOf(
  { meaning, reason }: Reply,
  { issuerId, clientEmail }: Pick<GoogleServiceAccount, 'issuerId' | 'clientEmail'>,
): string | null {
  switch (meaning) {
    case 'done':
    case 'missing':
      return null;
    case 'credential_rejected':
      if (NOT_ENABLED.test(reason ?? '')) {
        return `The Google Wallet API is not enabled in the Google Cloud project of ${clientEmail}; enable it there. (${reason})`;
      }
      return (
        `Google does not let ${clientEmail} act for the issuer ${issuerId}: invite that address as a user with access level ` +
        `Developer in the Google Pay & Wallet console, wait some minutes, and check the issuer id. (${reason})`
      );
    case 'rejected':
    case 'exists':
      return `Google does not know the issuer id ${issuerId}; it stands in the Google Pay & Wallet console. (${reason})`;
    default:
      return notNow(reason ?? '');
  }
}

function notNow(reason: string): string {
  return `Google could not be asked; try again. (${reason})`;
}
