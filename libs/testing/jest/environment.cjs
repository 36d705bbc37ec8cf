/**
 * Runs spec files among the process's own globals, where Jest makes a world of them per file: only so can packages be
 * loaded once per worker (see runtime.cjs). What a file leaves among the globals is removed before the next one.
 */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Where packages keep what the decorators of our sources tell them: it is told once, as these are loaded once. */
const kept = new Set(['classValidatorMetadataStorage', 'typeormMetadataArgsStorage']);

module.exports = class {
  constructor({ projectConfig: config }) {
    this.conditions = config.testEnvironmentOptions.customExportConditions;
    this.globalsBefore = Object.getOwnPropertyDescriptors(globalThis);
    this.exitBefore = process.exit;
    this.envBefore = { ...process.env };
    // Each project has a database of its own in each worker, as its specs count what is in there.
    process.env.PASSWRIGHT_TEST_PROJECT = config.id.slice(0, 8);
    this.global = globalThis;
    globalThis.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = null;
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
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
