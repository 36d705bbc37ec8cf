/**
 * Runs spec files among the process's own globals, where Jest makes a world of them per file: only so can packages be
 * loaded once per worker (see runtime.cjs). What a file leaves among the globals is removed before the next one.
 */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { Client } = require('pg');

/** Where packages keep what the decorators of our sources tell them: it is told once, as these are loaded once. */
const kept = new Set(['classValidatorMetadataStorage', 'typeormMetadataArgsStorage']);

/** The number of spec files that this worker has begun. */
let files = 0;

module.exports = class {
  constructor({ projectConfig: config }) {
    this.conditions = config.testEnvironmentOptions.customExportConditions;
    this.globalsBefore = Object.getOwnPropertyDescriptors(globalThis);
    this.exitBefore = process.exit;
    this.envBefore = { ...process.env };
    // Each spec file has a database of its own: plans, jobs and counts depend on all that is in there.
    process.env.PASSWRIGHT_TEST_FILE = String(++files);
    this.global = globalThis;
    globalThis.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    const { PASSWRIGHT_TEST_SERVER: server, PASSWRIGHT_TEST_DATABASE: database } = process.env;
    if (server && database) await dropDatabase(server, database);
    // A spy on a package or a core module would outlive the file.
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    process.exit = this.exitBefore;
    for (const name of Object.keys(process.env)) if (!(name in this.envBefore)) delete process.env[name];
    Object.assign(process.env, this.envBefore);
    const globals = /** @type {Record<PropertyKey, unknown>} */ (globalThis);
    const befores = /** @type {Record<PropertyKey, PropertyDescriptor>} */ (this.globalsBefore);
    for (const key of Reflect.ownKeys(globalThis)) {
      const before = befores[/** @type {string} */ (key)];
      const now = Object.getOwnPropertyDescriptor(globalThis, key);
      if (!now?.configurable) continue;
      if (!before && !kept.has(/** @type {string} */ (key))) delete globals[key];
      else if (before && now.value !== before.value) Object.defineProperty(globalThis, key, before);
    }
  }

  exportConditions() {
    return this.conditions;
  }

  /** None of our own; the runtime compiles. Jest asks for it where it would load ES modules. */
  getVmContext() {
    return globalThis;
  }
};

/**
 * Drops the database of a spec file, unless something is still connected: the end of the run drops that one.
 * @param {string} connectionString
 * @param {string} name
 */
async function dropDatabase(connectionString, name) {
  const admin = new Client({ connectionString });
  await admin.connect();
  try {
    const { rows } = await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name]);
    if (rows.length === 0) await admin.query(`DROP DATABASE IF EXISTS ${name}`);
  } finally {
    await admin.end();
  }
}
