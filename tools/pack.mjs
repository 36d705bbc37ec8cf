import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** Lists the folders of published packages: the command line, and every lib that has a README. */
export function packageFolders() {
  const within = (folder) => readdirSync(folder).map((name) => join(folder, name));
  const floors = within(join(root, 'libs'));
  const libs = [...floors, ...floors.flatMap(within)].filter((folder) => existsSync(join(folder, 'README.md')));
  return [join(root, 'apps/cli'), ...libs];
}

/**
 * Packs the built packages in the form in which they are published. Leaves out files and settings that only this
 * workspace needs: the export condition that selects sources, Nx's settings, the compiler's caches, and output whose
 * source was deleted.
 * @returns the tarballs by package name
 */
export async function packAll(target, folders = packageFolders()) {
  mkdirSync(target, { recursive: true });
  const stages = folders.map((folder) => stage(folder, target));
  const options = ['--json', '--ignore-scripts', '--pack-destination', target];
  const { stdout } = await run('npm', ['pack', ...options, ...stages], { cwd: target, maxBuffer: 64 << 20 });
  rmSync(join(target, 'stage'), { recursive: true });
  return new Map(JSON.parse(stdout).map(({ name, filename }) => [name, join(target, filename)]));
}

/**
 * Copies the files of a package that will be packed.
 * @returns the folder of the copy
 */
function stage(folder, target) {
  const { nx, devDependencies, ...manifest } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!existsSync(join(folder, 'dist/index.js'))) throw new Error(`${manifest.name} is not built: npm run build`);
  const staged = join(target, 'stage', manifest.name);
  mkdirSync(staged, { recursive: true });
  for (const name of [...manifest.files.filter((entry) => !entry.startsWith('!')), 'README.md', 'CHANGELOG.md']) {
    cpSync(join(folder, name), join(staged, name), {
      recursive: true,
      filter: (path) => !/\.(tsbuildinfo|d\.ts\.map)$/.test(path) && !isStale(folder, path),
    });
  }
  cpSync(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(published(manifest, folder), null, 2)}\n`);
  return staged;
}

function isStale(folder, path) {
  const output = path.slice(folder.length + 1);
  if (!/^dist\/.*\.(js|js\.map|d\.ts)$/.test(output)) return false;
  return !existsSync(
    join(folder, output.replace(/^dist(\/commonjs)?/, 'src').replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts')),
  );
}

function published({ exports, files, ...manifest }, folder) {
  const conditions = Object.entries(exports).map(([path, target]) => {
    if (typeof target === 'string') return [path, target];
    const { '@passwright/source': source, ...rest } = target;
    return [path, rest];
  });
  // Leave out an entry without built files, such as the fixtures of a lib, because only this workspace uses it.
  const shipped = conditions.filter(([, target]) => typeof target === 'string' || Object.keys(target).length > 0);
  return {
    ...manifest,
    ...origin(folder),
    keywords: ['passwright', 'wallet', 'apple-wallet', 'google-wallet', 'pkpass', ...topicsOf(manifest)],
    exports: Object.fromEntries(shipped),
    files: [...files, 'CHANGELOG.md'],
    ...(manifest.dependencies && { dependencies: ranges(manifest.dependencies) }),
    ...peers(manifest),
  };
}

/**
 * Adds the peer dependencies of the Passwright packages that a package depends on. Otherwise, pnpm and Yarn's
 * Plug'n'Play give the package its own copies of these peers, with other classes than in the app.
 */
function peers(manifest) {
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const all = { peerDependencies: { ...peerDependencies }, peerDependenciesMeta: { ...peerDependenciesMeta } };
  for (const name of Object.keys(dependencies)) {
    const nested = manifests().get(name);
    const { peerDependencies: theirs = {}, peerDependenciesMeta: meta = {} } = nested ? peers(nested) : {};
    for (const [peer, range] of Object.entries(theirs)) {
      const isOptional = !(peer in all.peerDependencies) || all.peerDependenciesMeta[peer]?.optional;
      all.peerDependencies[peer] ??= range;
      if (isOptional && meta[peer]?.optional) all.peerDependenciesMeta[peer] = { optional: true };
      else if (!(peer in peerDependencies)) delete all.peerDependenciesMeta[peer];
    }
  }
  return Object.keys(all.peerDependencies).length > 0 ? all : {};
}

let known;
function manifests() {
  known ??= new Map(
    packageFolders()
      .map((folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
      .map((manifest) => [manifest.name, manifest]),
  );
  return known;
}

/** @param {any} manifest */
function topicsOf({ name, peerDependencies = {} }) {
  return [name.split('/')[1], ...('@nestjs/common' in peerDependencies ? ['nestjs'] : [])];
}

/**
 * Turns exact versions into ranges, so that an app can install fixes of a library without a new release of ours.
 * Pre-releases stay exact.
 */
function ranges(dependencies) {
  const widened = Object.entries(dependencies).map(([name, version]) => [
    name,
    /^\d+\.\d+\.\d+$/.test(version) ? `^${version}` : version,
  ]);
  return Object.fromEntries(widened);
}

/**
 * Returns the repository and the folder of a package. When a package is published with provenance, npm compares them
 * with the repository of the build.
 */
function origin(folder) {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (!GITHUB_REPOSITORY) return {};
  const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  const directory = folder.slice(root.length + 1).replaceAll('\\', '/');
  return {
    homepage: `${url}/tree/main/${directory}#readme`,
    bugs: `${url}/issues`,
    repository: { type: 'git', url: `git+${url}.git`, directory },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder = join(root, 'dist-packages'), ...folders] = process.argv.slice(2);
  const target = resolve(folder);
  const chosen = folders.length > 0 ? folders.map((each) => join(root, each)) : undefined;
  const tarballs = await packAll(target, chosen);
  // Only npm takes indirect dependencies from tarballs. Other package managers ask a registry, unless overrides name
  // the tarballs.
  const overrides = Object.fromEntries([...tarballs].map(([name, path]) => [name, `file:${path}`]));
  writeFileSync(join(target, 'overrides.json'), `${JSON.stringify(overrides, null, 2)}\n`);
  for (const path of tarballs.values()) console.log(path);
}
