/**
 * Lets plain Node require our TypeScript sources, for what runs outside Jest's own transform: `node -r` this file, or
 * require it first. Compiles as Jest does, resolves `@passwright/<lib>` to its sources and `./x.js` to `./x.ts`. What is
 * compiled is kept, as Jest keeps it: a service in a process of its own would compile hundreds of files at each start.
 */
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
/** @type {any} Its hooks for loaders have no types. */
const Module = require('node:module');
const { dirname, join, relative, resolve } = require('node:path');
const swc = require('@swc/core');

const root = resolve(__dirname, '../../..');
const kept = join(root, 'node_modules/.cache/typescript-sources');
const resolveFilename = Module._resolveFilename;
/** @type {import('@swc/core').Options} */
const options = {
  swcrc: false,
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};
const compiler = `${swc.version} ${JSON.stringify(options)}`;
const exportsOf = new Map();

Module._resolveFilename = function (request, parent, ...rest) {
  return resolveFilename.call(this, sourceOf(request, parent), parent, ...rest);
};

Module._extensions['.ts'] = (module, filename) => {
  module._compile(compiled(filename, readFileSync(filename, 'utf8')), filename);
};

/** One file for each source; its first line tells what it was made of. */
function compiled(filename, source) {
  const path = join(kept, relative(root, filename).replaceAll(/[\\/]/g, '+'));
  const state = `//${createHash('sha256').update(compiler).update(source).digest('hex')}\n`;
  const known = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (known.startsWith(state)) return known.slice(state.length);
  const { code } = swc.transformSync(source, { filename, ...options });
  keep(path, state + code);
  return code;
}

/** Whole or not at all, as other processes read it. Where nothing can be written, the next process compiles again. */
function keep(path, text) {
  try {
    mkdirSync(kept, { recursive: true });
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    return;
  }
}

function sourceOf(request, parent) {
  if (request.startsWith('@passwright/')) {
    // A package, or an entry of it: `@passwright/core/plain`.
    const [scope, name, ...entry] = request.split('/');
    const packageDir = join(root, 'node_modules', scope, name);
    if (!exportsOf.has(name)) {
      exportsOf.set(name, JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')).exports);
    }
    const source = exportsOf.get(name)?.[['.', ...entry].join('/')]?.['@passwright/source'];
    return source ? join(packageDir, source) : request;
  }
  if (!/^\.{1,2}\/.*\.js$/.test(request) || !parent?.filename?.endsWith('.ts')) return request;
  const source = resolve(dirname(parent.filename), request.replace(/\.js$/, '.ts'));
  return existsSync(source) ? source : request;
}
