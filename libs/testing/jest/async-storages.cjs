/**
 * Disables the AsyncLocalStorage instances that a spec file has used. Before Node 24, each enabled instance makes every
 * new promise of the process slower, and Jest itself creates one for each file.
 */
const { AsyncLocalStorage } = require('node:async_hooks');

module.exports = { disableStorages };

/** @type {Set<import('node:async_hooks').AsyncLocalStorage<unknown>>} The instances used since the last call. */
const used = new Set();

for (const name of /** @type {const} */ (['run', 'enterWith'])) {
  const original = AsyncLocalStorage.prototype[name];
  /** @this {import('node:async_hooks').AsyncLocalStorage<unknown>} @param {any[]} args */
  AsyncLocalStorage.prototype[name] = function (...args) {
    used.add(this);
    return Reflect.apply(original, this, args);
  };
}

/** Ends all contexts. An instance that is used again is enabled again. */
function disableStorages() {
  for (const storage of used) storage.disable();
  used.clear();
}
