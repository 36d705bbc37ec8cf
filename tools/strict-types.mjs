import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** The strictest settings that apps have. `node16` is the oldest resolution that knows `exports`. */
const settings = {
  target: 'ES2023',
  module: 'node16',
  moduleResolution: 'node16',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  experimentalDecorators: true,
  noEmit: true,
};

/**
 * Compiles a file that imports every entry of every package, as an ES module and as CommonJS.
 *
 * @param {{ folder: string, tarballs: Map<string, string>, managers: any }} options
 */
export async function compileAllTypes({ folder, tarballs, managers }) {
  mkdirSync(folder);
  const manifests = [...tarballs.values()].map(manifestOf);
  const imports = manifests.flatMap(entriesOf).map((entry, index) => `import * as m${index} from '${entry}';`);
  const uses = imports.map((_, index) => `m${index}`).join(', ');
  for (const name of ['all.mts', 'all.cts']) {
    writeFileSync(join(folder, name), `${imports.join('\n')}\nexport const all: object[] = [${uses}];\n`);
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings, include: ['all.*'] }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(appWith(manifests)));
  await managers.install('npm', folder);
  await managers.test('npm', folder);
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
function appWith(manifests) {
  const { devDependencies: dev } = JSON.parse(readFileSync(join(root, 'examples/nest-app/package.json'), 'utf8'));
  const { dependencies: nest } = JSON.parse(readFileSync(join(root, 'examples/nest-app/package.json'), 'utf8'));
  const peers = Object.assign({}, ...manifests.map(({ peerDependencies }) => peerDependencies));
  for (const name of Object.keys(peers)) if (nest[name]) peers[name] = nest[name];
  const own = Object.fromEntries(manifests.map(({ name, version }) => [name, version]));
  return {
    name: 'types-of-all-packages',
    private: true,
    scripts: { test: 'tsc -p .' },
    dependencies: { ...peers, ...own },
    devDependencies: dev,
  };
}
