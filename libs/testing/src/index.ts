export { FakeSigner, FixedClock, MemoryStorage } from './fakes.js';
export { emptyDatabase, testDatabase, type TestDatabase } from './test-database.js';
