// Installs, builds and checks what the workspace's commands need in a fresh clone. Uses only Node and npm.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const nxScript = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');

/** True in an unpacked release archive (`npm run release:archive`), which already contains the build. */
export const isRelease = existsSync(join(root, 'release.json'));

/**
 * Installs the packages of package-lock.json unless they are already installed.
 * @param servesOnly true leaves out packages that only development needs
 */
export function install({ servesOnly = false } = {}) {
  requireNode();
  requireOwnFolder();
  if (isInstalled(servesOnly)) return;
  const [size, time] = servesOnly ? ['400 MB', 'half a minute'] : ['1 GB', 'two minutes'];
  console.log(`Installing ${size} of packages, which takes about ${time} …`);
  npm('ci', ...(servesOnly ? ['--omit=dev'] : []), '--no-audit', '--no-fund', '--loglevel=error');
}

/**
 * Compares package-lock.json with the list of packages that npm writes after each install. Optional packages may be
 * missing, because some are for other platforms.
 */
function isInstalled(servesOnly) {
  const written = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(written)) return false;
  const [wanted, there] = [join(root, 'package-lock.json'), written].map(
    (path) => JSON.parse(readFileSync(path, 'utf8')).packages,
  );
  return Object.entries(wanted).every(
    ([path, { version, integrity, optional, dev, devOptional }]) =>
      path === '' ||
      (there[path]
        ? there[path].version === version && there[path].integrity === integrity
        : optional || (servesOnly && (dev || devOptional))),
  );
}

/** Runs an npm command in the root of the workspace. If the command fails, ends this process with its exit code. */
export function npm(...args) {
  // Run npm's script with the current Node, because this works the same on every system.
  const script = process.env.npm_execpath;
  const [command, first] = script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
  run(command, [...first, ...args]);
}

/** Runs Nx without its daemon, because a single command does not need the daemon. */
export function nx(...args) {
  run(process.execPath, [nxScript, ...args]);
}

/**
 * Checks the configuration and the port of the service before the build, because the check takes a second or two and a
 * build much longer. Ends the process if the service could not start. Runs the service's sources. If they cannot be
 * compiled here, does nothing: the service makes the same check at its start.
 */
export function check() {
  if (isRelease) return run(process.execPath, [join(root, 'apps', 'api', 'dist', 'main.js'), '--check']);
  if (!canCompile()) return;
  const sources = join(root, 'libs', 'testing', 'jest', 'typescript-sources.cjs');
  run(process.execPath, ['-r', sources, join(root, 'apps', 'api', 'src', 'main.ts'), '--check']);
}

/** Returns true if the compiler of the sources runs on this machine. For some platforms, npm has no binary of it. */
function canCompile() {
  try {
    createRequire(import.meta.url)('@swc/core');
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds the changed parts of a project (default: the service) and of its dependencies. Prints output only if the build
 * fails. Does nothing in a release archive, which is already built.
 */
export function build(project = 'api') {
  if (isRelease && project === 'api') return;
  console.log('Building …');
  run(process.execPath, [nxScript, 'build', project, '--outputStyle=static'], { quiet: true });
}

/**
 * Tests all projects in one run of Jest. First builds the command line, which the API's specs use. If it were their
 * dependency in Nx, Nx would run these specs separately, after the specs of the libs.
 */
export function runTests(...args) {
  build('cli');
  nx('run-many', '-t', 'test', '--excludeTaskDependencies', '--outputStyle=static', ...args);
}

function run(command, args, { quiet = false } = {}) {
  const env = {
    ...process.env,
    NX_DAEMON: 'false',
    NX_NO_CLOUD: 'true',
    FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
  };
  const stdio = quiet ? 'pipe' : 'inherit';
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: root, stdio, env, maxBuffer: 2 ** 26 });
  if (error) console.error(`${command}: ${error.message}`);
  if (quiet && status !== 0) process.stderr.write(Buffer.concat([stdout, stderr]));
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Ends the process if another user has installed or built here. Otherwise npm and Nx would only report "Permission
 * denied".
 */
function requireOwnFolder() {
  const foreign = writtenPaths().find((path) => existsSync(path) && !isWritable(path));
  if (!foreign) return;
  console.error(
    `You cannot write to ${foreign}: another user has installed or built here.\n` +
      `Take the folder over: sudo chown -R "$(id -u)" '${root}'`,
  );
  const service = join(root, 'apps', 'api', 'dist', 'main.js');
  if (existsSync(service)) console.error(`Or serve what is built: node '${service}'`);
  process.exit(1);
}

/** Lists the files and folders that an installation and a build write. */
function writtenPaths() {
  const within = (folder, isWanted) =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true })
          .filter(isWanted)
          .map(({ name }) => join(folder, name))
      : [];
  const foldersIn = (folder) => within(folder, (entry) => entry.isDirectory());
  const groups = foldersIn(join(root, 'libs'));
  const projects = [...foldersIn(join(root, 'apps')), ...groups, ...groups.flatMap(foldersIn)];
  const nxData = join(root, '.nx', 'workspace-data');
  return [
    root,
    ...['node_modules', 'node_modules/.cache', '.nx', '.nx/cache'].map((path) => join(root, path)),
    nxData,
    ...within(nxData, (entry) => entry.isFile()),
    ...projects.map((project) => join(project, 'dist')),
  ];
}

function isWritable(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Passwright needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
