/**
 * Makes plain Node load our TypeScript sources outside of Jest, with `node -r` or `require`. Compiles like Jest, and
 * resolves `@passwright/<lib>` to the lib's sources and `./x.js` to `./x.ts`. Caches compiled files, because compiling
 * hundreds of files takes long.
 */
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
/** @type {any} The loader hooks of this module, which have no types. */
const Module = require('node:module');
const { dirname, join, relative, resolve } = require('node:path');
const { version } = require('@swc/core/package.json');

const root = resolve(__dirname, '../../..');
const stored = join(root, 'node_modules/.cache/typescript-sources');
const resolveFilename = Module._resolveFilename;
/** @type {import('@swc/core').Options} */
const options = {
  swcrc: false,
  module: { type: 'commonjs' },
  // Leave out source maps, which these processes would read but not use.
  sourceMaps: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
};
const compiler = `${version} ${JSON.stringify(options)}`;
const exportsOf = new Map();

Module._resolveFilename = function (request, parent, ...rest) {
  return resolveFilename.call(this, sourceOf(request, parent), parent, ...rest);
};

Module._extensions['.ts'] = (module, filename) => {
  module._compile(compiled(filename, readFileSync(filename, 'utf8')), filename);
};

/**
 * Compiles a source, or reads it from the cache. Each source has one cached file, whose first line identifies the
 * source's version.
 */
function compiled(filename, source) {
  const path = join(stored, relative(root, filename).replaceAll(/[\\/]/g, '+'));
  const state = `//${createHash('sha256').update(compiler).update(source).digest('hex')}\n`;
  const known = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (known.startsWith(state)) return known.slice(state.length);
  // Load the compiler only if a source has changed.
  const { code } = require('@swc/core').transformSync(source, { filename, ...options });
  keep(path, state + code);
  return code;
}

/** Writes a cached file atomically, because other processes read it. Does nothing if the folder is read-only. */
function keep(path, text) {
  try {
    mkdirSync(stored, { recursive: true });
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    return;
  }
}

function sourceOf(request, parent) {
  if (request.startsWith('@passwright/')) {
    // `request` names a package or one of its entry points, such as `@passwright/core/plain`.
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
