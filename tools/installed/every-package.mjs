import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** The strictest compiler settings that apps use. */
const settings = {
  target: 'ES2023',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  experimentalDecorators: true,
  noEmit: true,
};
/** The ways in which TypeScript resolves packages. `node16` is the oldest that supports `exports`. */
const resolutions = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  node16: { module: 'node16', moduleResolution: 'node16' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
};

/**
 * Writes an app that imports every entry of every package, both as ES modules and as CommonJS. Its `build` compiles the
 * files with every module resolution if `compilesAll` is true, otherwise with `nodenext`.
 * @param {string} folder
 * @param {{ tarballs: Map<string, string>, nest: number, compilesAll: boolean }} options
 */
export function writeEveryPackage(folder, { tarballs, nest, compilesAll }) {
  mkdirSync(folder);
  const manifests = [...tarballs.values()].map(manifestOf);
  const entries = manifests.flatMap(entriesOf);
  const imports = entries.map((entry, index) => `import * as m${index} from '${entry}';`);
  const uses = entries.map((_, index) => `m${index}`).join(', ');
  for (const name of ['all.mts', 'all.cts']) {
    writeFileSync(join(folder, name), `${imports.join('\n')}\nexport const all: object[] = [${uses}];\n`);
  }
  for (const [name, resolution] of Object.entries(resolutions)) {
    const config = { compilerOptions: { ...settings, ...resolution }, include: ['all.*'] };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(config));
  }
  writeFileSync(join(folder, 'entries.json'), JSON.stringify(entries));
  for (const name of ['check.mjs', 'check.cjs'])
    cpSync(join(import.meta.dirname, 'every-package', name), join(folder, name));
  // With `node16`, TypeScript does not allow CommonJS to require ES modules, and NestJS 12 consists of ES modules.
  const all = Object.keys(resolutions).filter((name) => nest !== 12 || name !== 'node16');
  const compiled = compilesAll ? all : ['nodenext'];
  writeFileSync(join(folder, 'package.json'), JSON.stringify(appWith(manifests, compiled)));
}

function manifestOf(tarball) {
  return JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
}

function entriesOf({ name, exports }) {
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => name + path.slice(1));
}

/** Returns the manifest of an app with all packages and their peers. */
function appWith(manifests, compiled) {
  const example = JSON.parse(readFileSync(join(root, 'examples/nest-app/package.json'), 'utf8'));
  const peers = Object.assign({}, ...manifests.map(({ peerDependencies }) => peerDependencies));
  for (const name of Object.keys(peers)) if (example.dependencies[name]) peers[name] = example.dependencies[name];
  const own = Object.fromEntries(manifests.map(({ name, version }) => [name, version]));
  const dependencies = { ...peers, ...own };
  const others = Object.entries(example.devDependencies).filter(([name]) => !(name in dependencies));
  return {
    name: 'every-package',
    private: true,
    scripts: {
      build: compiled.map((name) => `tsc -p ${name}.json`).join(' && '),
      check: 'node check.mjs && node check.cjs',
    },
    dependencies,
    devDependencies: Object.fromEntries(others),
  };
}
