export { readServiceAccountKey, type ServiceAccountKey } from './accounts/service-account-key.js';
export { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
export { toCredential } from './accounts/google-credential.js';
export { GoogleWalletApiModule } from './google-wallet.module.js';
export {
  type DevelopmentServiceAccount,
  googleUrls,
  GoogleWalletApiOptions,
  type OperatorServiceAccount,
} from './google-wallet.options.js';
export { MemoryQuota } from './memory-quota.js';
export { RestGoogleWallet } from './rest-google-wallet.js';
