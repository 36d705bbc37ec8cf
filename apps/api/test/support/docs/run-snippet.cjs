/** Runs a TypeScript or JavaScript snippet of a document as a module, with our packages from their sources. */
const { readFileSync } = require('node:fs');
/** @type {any} Its hooks for loaders have no types. */
const Module = require('node:module');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');
require('../../../../../libs/testing/jest/typescript-sources.cjs');

const [, , file] = process.argv;
const { code } = transformSync(readFileSync(file, 'utf8'), {
  filename: file,
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
});
const module_ = new Module(file);
// Packages come from the checkout, files from the reader's folder.
module_.filename = join(process.cwd(), 'snippet.ts');
module_.paths = Module._nodeModulePaths(__dirname);
module_._compile(`module.exports = (async () => {${code}\n})();`, file);
module_.exports.catch((error) => {
  console.error(error);
  process.exit(1);
});
