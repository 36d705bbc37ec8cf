/**
 * Extends Jest's runtime. Packages and the product's sources are loaded once per worker instead of once per spec file,
 * which halves the time of a test run. Modules that exist only for tests (specs, fixtures and @passwright/testing) are
 * new in each file. As a consequence, `jest.mock` of a package or a source has no effect.
 */
const { createRequire } = require('node:module');
const { join, sep } = require('node:path');
const { Script } = require('node:vm');
const Runtime = require('jest-runtime').default;

const root = join(__dirname, '../../..') + sep;
const scripts = new Map();
/** The product's modules by path, and the paths of their source maps. */
const sources = new Map();
const sourceMaps = new Map();
/** The runtime of the current spec file, which also loads modules that a shared source requires later. */
let current;

module.exports = class extends Runtime {
  /** @param {ConstructorParameters<typeof Runtime>} args */
  constructor(...args) {
    super(...args);
    current = this;
    /** @type {any} Private fields of Jest's runtime. */
    const internal = this;
    internal.executor.compile = (source, filename) =>
      compile(source, filename, internal.executor.injectedModuleParameters);
    internal.registries.moduleRegistry = new ModulesOfFile();
    internal.transformCache.sourceMaps = sourceMaps;
  }

  requireModuleOrMock(from, name) {
    if (isPackage(name)) return createRequire(from)(name);
    return current === this ? super.requireModuleOrMock(from, name) : current.requireModuleOrMock(from, name);
  }
};

/** The modules of the spec file, and then the product's sources, which remain after the file has ended. */
class ModulesOfFile extends Map {
  get(path) {
    return isSource(path) ? sources.get(path) : super.get(path);
  }

  has(path) {
    return isSource(path) ? sources.has(path) : super.has(path);
  }

  set(path, module) {
    if (!isSource(path)) return super.set(path, module);
    sources.set(path, module);
    return this;
  }

  delete(path) {
    return isSource(path) ? sources.delete(path) : super.delete(path);
  }
}

function isPackage(name) {
  return !/^(\.{0,2}\/|node:|@passwright\/|@jest\/globals$)/.test(name) && name !== '.';
}

function isSource(path) {
  const [area, floor, ...rest] = path.startsWith(root) ? path.slice(root.length).split(sep) : [];
  if (!['apps', 'libs'].includes(area) || floor === 'testing' || !rest.includes('src')) return false;
  return !/(spec|\.fixtures)\.ts$/.test(path);
}

function compile(source, filename, parameters) {
  let stored = scripts.get(filename);
  if (stored?.source !== source) {
    const script = new Script(`(function (${parameters.join(', ')}) {${source}\n})`, { filename });
    scripts.set(filename, (stored = { source, script }));
  }
  return stored.script.runInThisContext();
}
