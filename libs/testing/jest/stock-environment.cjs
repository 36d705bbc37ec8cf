/**
 * The environment for runs without our runtime, with new globals and modules for each spec file. It adds a database for
 * each file, and disables the storages that a file has used.
 */
const { TestEnvironment } = require('jest-environment-node');
const { disableStorages } = require('./async-storages.cjs');
const { dropDatabase } = require('./drop-database.cjs');

/** The number of spec files that this worker has started. */
let files = 0;

module.exports = class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    // Set the variable before `super` copies the environment.
    process.env.PASSWRIGHT_TEST_FILE = String(++files);
    super(...args);
  }

  async teardown() {
    await dropDatabase(this.global.process.env);
    disableStorages();
    await super.teardown();
  }
};
