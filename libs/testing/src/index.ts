export { DebianPostgres, debianPrograms } from './debian-postgres.js';
export { hasPgBouncer, keepsPreparedStatements, PgBouncer, preparedStatements } from './pgbouncer.js';
export { FakeApns, type FakeApnsOptions } from './fake-apns.js';
export type { FakeApnsPush } from './fake-apns-push.js';
export type { ApnsResponse } from './fake-apns-rules.js';
export type { ScriptedResponse } from './fake-apns-script.js';
export type { CallbackForgery, CallbackMessage } from './fake-google-wallet/callback-signing.js';
export type { SentCallback } from './fake-google-wallet/callbacks.js';
export { FakeGoogleWallet, type FakeGoogleWalletOptions } from './fake-google-wallet/fake-google-wallet.js';
export type { GoogleField, GoogleOnScreen } from './fake-google-wallet/google-screen.js';
export type { ScriptedGoogleError } from './fake-google-wallet/error-script.js';
export type { ImageFetch } from './fake-google-wallet/image-fetches.js';
export type { GoogleRequest, GoogleService } from './fake-google-wallet/request-log.js';
export type { GoogleBody } from './fake-google-wallet/resource-form.js';
export type { AddedMessage } from './fake-google-wallet/resource-store.js';
export type { GoogleIssuer, SaveOutcome } from './fake-google-wallet/save-page.js';
export type { TestServiceAccount } from './fake-google-wallet/service-accounts.js';
export { FakeCredentials, FakeSigner, FixedClock, MemoryStorage, RecordingMailer } from './fakes.js';
export { connectServers } from './citus.js';
export { freePort } from '@passwright/embedded-postgres';
export { growthsOf, LINEAR_GROWTH, type WorkCase } from './growth-of-work.js';
export { partitionByAccount } from './hash-partitions.js';
export { jobsIdle } from './jobs-idle.js';
export { lockWaitsSql } from './waits/lock-waits.js';
export { repeatWhileBusy } from './waits/repeat-while-busy.js';
export { onceInProcess } from './once-in-process.js';
export { drawImagesOnce } from './images-drawn-once.js';
export { TestBucket } from './test-bucket.js';
export { emptyDatabase, migratedDatabase, testDatabase, type TestDatabase } from './test-database.js';
export {
  testCertificates,
  type TestCertificate,
  type TestCertificates,
  type TestPassCertificate,
} from './test-certificates.js';
export { vacuumed } from './plans/vacuumed.js';
export type { PhoneRequest } from './virtual-iphone/device-http.js';
export type { InstalledPass } from './virtual-iphone/installed-pass.js';
export type { PassField, PhoneSystem } from './virtual-iphone/field-rules.js';
export type { PassOnScreen } from './phone-screen.js';
export type { PassNotification } from './virtual-iphone/lock-screen.js';
export {
  PackageRejected,
  verifyPackage,
  type PackageTrust,
  type VerifiedPackage,
} from './virtual-iphone/package-verification.js';
export type { FetchOutcome } from './virtual-iphone/pass-updates.js';
export { deliverPushes, type PushDelivery, type PushSource } from './virtual-iphone/push-delivery.js';
export { analysedPlan, mostRowsRead, planOf, type PlanStep } from './plans/query-plan.js';
export { shownPass } from './string-tables.js';
export { VirtualIPhone, type AddOptions, type VirtualIPhoneOptions } from './virtual-iphone/virtual-iphone.js';
