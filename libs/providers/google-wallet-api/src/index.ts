export { readServiceAccountKey, type ServiceAccountKey } from './accounts/service-account-key.js';
export { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
export { toCredential } from './accounts/google-credential.js';
export { GoogleWalletModule } from './google-wallet.module.js';
export {
  type DevelopmentServiceAccount,
  googleUrls,
  GoogleWalletOptions,
  type OperatorServiceAccount,
} from './google-wallet.options.js';
export { MemoryQuota } from './memory-quota.js';
export { RestGoogleWallet } from './rest-google-wallet.js';
