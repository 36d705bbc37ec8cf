/**
 * Lets plain Node require our TypeScript sources, for what runs outside Jest's own transform: `node -r` this file, or
 * require it first. Compiles as Jest does, resolves `@passwright/<lib>` to its sources and `./x.js` to `./x.ts`.
 */
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { transformSync } = require('@swc/core');

const root = resolve(__dirname, '../../..');
const resolveFilename = Module._resolveFilename;

Module._resolveFilename = function (request, parent, ...rest) {
  return resolveFilename.call(this, sourceOf(request, parent), parent, ...rest);
};

Module._extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
    },
  });
  module._compile(code, filename);
};

function sourceOf(request, parent) {
  if (request.startsWith('@passwright/')) {
    // A package, or an entry of it: `@passwright/core/plain`.
    const [scope, name, ...entry] = request.split('/');
    const packageDir = join(root, 'node_modules', scope, name);
    const { exports } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
    const source = exports?.[['.', ...entry].join('/')]?.['@passwright/source'];
    return source ? join(packageDir, source) : request;
  }
  if (!/^\.{1,2}\/.*\.js$/.test(request) || !parent?.filename?.endsWith('.ts')) return request;
  const source = resolve(dirname(parent.filename), request.replace(/\.js$/, '.ts'));
  return existsSync(source) ? source : request;
}
