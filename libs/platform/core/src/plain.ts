/** The exports of this package that do not require Nest, for scripts and packages without Nest. */
export { ConcurrencyLimiter, type ConcurrencyLimits } from './concurrency-limiter.js';
export { costlyWork } from './costly-work.js';
export { AppError, appError, type AppErrorClass, type ErrorCode } from './errors/app-error.js';
export { RateLimited, WalletUnavailable } from './errors/wire-errors.js';
export {
  AccountCertificates,
  AppleCredentials,
  type AppleCredential,
  type ApplePem,
} from './providers/apple-credentials.js';
export {
  CertificateReader,
  CertificateRejected,
  type CertificateUpload,
  type ReadCertificate,
} from './providers/certificate-reader.js';
export { Clock, MAX_CLOCK_DIFFERENCE_MS, SystemClock } from './providers/clock.js';
export { RecentEntries } from './recent-entries.js';
export { SameKeyQueue } from './same-key-queue.js';
export { Signer, type SigningIdentity } from './providers/signer.js';
export { TestAccounts } from './providers/test-accounts.js';
