export { FakeSigner, FixedClock, MemoryStorage, RecordingMailer } from './fakes.js';
export { jobsIdle } from './jobs-idle.js';
export { emptyDatabase, testDatabase, type TestDatabase } from './test-database.js';
