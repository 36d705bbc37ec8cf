import { MemoryQuota, ResolvedServiceAccounts, RestGoogleWallet, toCredential } from '@passwright/google-wallet-api';
import { type Finding, type Installation, ok, problem, warning } from './finding.js';

/**
 * Checks the operator's service account: its key, whether Google issues a token for it, and whether it may act for the
 * issuer. Writes nothing.
 */
export async function googleCheck({ config, now }: Installation): Promise<Finding[]> {
  const { serviceAccount } = config.googleWalletApi;
  if (serviceAccount.kind === 'development') {
    const found = 'Google Wallet is not set up: save links only show previews.';
    const fix = 'Set GOOGLE_ISSUER_ID and GOOGLE_SERVICE_ACCOUNT; see docs/google-wallet.md.';
    return [config.production ? warning(found, fix) : ok(found)];
  }
  const { identity } = toCredential(serviceAccount, '');
  // Use the token address of the key file, like the service, if no other address is configured.
  const tokenUrl = config.googleWalletApi.tokenUrl ?? serviceAccount.tokenUri ?? null;
  const urls = { ...config.googleWalletApi, tokenUrl };
  const wallet = new RestGoogleWallet(urls, new ResolvedServiceAccounts(urls), new MemoryQuota(), { now: () => now });
  const wrong = await wallet.check(serviceAccount);
  if (wrong === null) return [ok(`Google lets ${identity.clientEmail} act for the issuer ${identity.issuerId}.`)];
  return [problem(wrong, 'Check GOOGLE_ISSUER_ID and GOOGLE_SERVICE_ACCOUNT; see docs/google-wallet.md.')];
}
