/**
 * The environment for runs without our runtime: new globals and modules for each spec file, as in Jest without our
 * changes. It only gives each file a database of its own.
 */
const { TestEnvironment } = require('jest-environment-node');
const { dropDatabase } = require('./drop-database.cjs');

/** The number of spec files that this worker has begun. */
let files = 0;

module.exports = class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    // The file sees a copy of these variables.
    process.env.PASSWRIGHT_TEST_FILE = String(++files);
    super(...args);
  }

  async teardown() {
    await dropDatabase(this.global.process.env);
    await super.teardown();
  }
};
