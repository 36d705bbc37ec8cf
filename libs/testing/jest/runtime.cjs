/**
 * Jest's runtime, but for two things: packages from node_modules are loaded by Node, once per worker instead of once per
 * spec file, and our own sources, new for each file, are compiled once. Loading Nest, TypeORM and the like again for
 * every file took half the time of a test run. `jest.mock` of a package has no effect therefore; we use none.
 */
const { createRequire } = require('node:module');
const { Script } = require('node:vm');
const Runtime = require('jest-runtime').default;

const scripts = new Map();

module.exports = class extends Runtime {
  constructor(...args) {
    super(...args);
    this.executor.compile = (source, filename) => compile(source, filename, this.executor.injectedModuleParameters);
  }

  requireModuleOrMock(from, name) {
    return isPackage(name) ? createRequire(from)(name) : super.requireModuleOrMock(from, name);
  }
};

function isPackage(name) {
  return !/^(\.{0,2}\/|node:|@passwright\/|@jest\/globals$)/.test(name) && name !== '.';
}

function compile(source, filename, parameters) {
  let kept = scripts.get(filename);
  if (kept?.source !== source) {
    const script = new Script(`(function (${parameters.join(', ')}) {${source}\n})`, { filename });
    scripts.set(filename, (kept = { source, script }));
  }
  return kept.script.runInThisContext();
}
