export { FakeApns, type FakeApnsOptions, type FakeApnsPush } from './fake-apns.js';
export type { ApnsAnswer } from './fake-apns-rules.js';
export type { ScriptedAnswer } from './fake-apns-script.js';
export { FakeSigner, FixedClock, MemoryStorage, RecordingMailer } from './fakes.js';
export { jobsIdle } from './jobs-idle.js';
export { emptyDatabase, testDatabase, type TestDatabase } from './test-database.js';
export {
  testCertificates,
  type TestCertificate,
  type TestCertificates,
  type TestPassCertificate,
} from './test-certificates.js';
