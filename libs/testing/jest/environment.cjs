/**
 * Runs spec files with the globals of the process, so that packages can be loaded once per worker (see runtime.cjs).
 * Removes the globals that a file adds before the next file runs. Jest would create new globals for each file.
 */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { disableStorages } = require('./async-storages.cjs');
const { leaveOut } = require('./citus-exceptions.cjs');
const { dropDatabase } = require('./drop-database.cjs');

/**
 * Keep the globals in which packages store the metadata of our decorators, because decorators run only once per worker.
 */
const stored = new Set(['classValidatorMetadataStorage', 'typeormMetadataArgsStorage']);

/** The number of spec files that this worker has started. */
let files = 0;

module.exports = class {
  /**
   * @param {{ projectConfig: any }} config
   * @param {{ testPath: string }} context
   */
  constructor({ projectConfig: config }, { testPath }) {
    this.testPath = testPath;
    this.conditions = config.testEnvironmentOptions.customExportConditions;
    this.globalsBefore = Object.getOwnPropertyDescriptors(globalThis);
    this.exitBefore = process.exit;
    this.envBefore = { ...process.env };
    // Give each spec file its own database, because plans, jobs and counts depend on all rows of a database.
    process.env.PASSWRIGHT_TEST_FILE = String(++files);
    this.global = globalThis;
    globalThis.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    await dropDatabase(process.env);
    // Restore spies, because a spy on a package or core module would stay active in the next file.
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    disableStorages();
    process.exit = this.exitBefore;
    for (const name of Object.keys(process.env)) if (!(name in this.envBefore)) delete process.env[name];
    Object.assign(process.env, this.envBefore);
    const globals = /** @type {Record<PropertyKey, unknown>} */ (globalThis);
    const befores = /** @type {Record<PropertyKey, PropertyDescriptor>} */ (this.globalsBefore);
    for (const key of Reflect.ownKeys(globalThis)) {
      const before = befores[/** @type {string} */ (key)];
      const now = Object.getOwnPropertyDescriptor(globalThis, key);
      if (!now?.configurable) continue;
      if (!before && !stored.has(/** @type {string} */ (key))) delete globals[key];
      else if (before && now.value !== before.value) Object.defineProperty(globalThis, key, before);
    }
  }

  /** @param {import('@jest/types').Circus.Event} event @param {import('@jest/types').Circus.State} state */
  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'run_start') leaveOut(this.testPath, rootDescribeBlock);
  }

  exportConditions() {
    return this.conditions;
  }

  /** Returns null, because the runtime itself compiles modules. Jest calls this only to load ES modules. */
  getVmContext() {
    return globalThis;
  }
};
