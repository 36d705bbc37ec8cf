/**
 * npm run dev: serves the sources, and restarts within seconds after each change. After a change to the workbench, it
 * rebuilds the workbench instead. It checks no types; use an editor or `npm run typecheck`. Node gets the options, so
 * `npm run dev -- --inspect` allows a debugger to attach.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { build, check, install, root } from './install.mjs';

/**
 * Changes within this number of milliseconds count as one, because editors write a file in several steps and a git
 * checkout writes many files.
 */
const QUIET_MS = 60;
/** A service that has not stopped after this number of milliseconds is killed. */
const STOP_MS = 3000;

process.chdir(root);
install();
check();
build();
if (existsSync('.env')) process.loadEnvFile('.env');
const { transformFile } = await import('@swc/core');
const { default: jest } = await import('../jest.config.mjs');
const compiler = /** @type {import('@swc/core').Options} */ (jest.transform['^.+\\.ts$'][1]);
const postgres = await heldPostgres();

const changed = new Set();
let timer;
const options = process.argv.slice(2);
/** The prepared process for the next restart. */
let next = null;
/** True if compiled code has changed since the service started. */
let isOutdated = false;
let stopping = false;
let service = start([]);
// Node's own watcher loses a file when an editor or git replaces it.
const { watch } = await import('chokidar');
watch(sourceFolders(), { ignoreInitial: true })
  .on('all', (_event, file) => note(file))
  .on('ready', () => console.log('Watching the sources. Ctrl-C stops the service.'));
let workbenchTimer;
// Of all parts of the service, only the workbench contains the client.
watch(['apps/workbench/src', 'libs/clients/client/src'], { ignoreInitial: true }).on('all', () => {
  clearTimeout(workbenchTimer);
  workbenchTimer = setTimeout(bundleWorkbench, QUIET_MS);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    // Ctrl-C reaches this process twice: from the terminal and from npm.
    if (stopping) return;
    stopping = true;
    next?.kill();
    void stopped(service).then(async () => {
      await postgres?.stop();
      process.exit(0);
    });
  });
}

/**
 * Keeps the embedded Postgres running while the service restarts. Each start of the service uses the running server.
 */
async function heldPostgres() {
  if (process.env.DATABASE_URL) return null;
  const { startEmbeddedPostgres } = await import('@passwright/embedded-postgres');
  return startEmbeddedPostgres({ dataDir: join(process.env.DATA_DIR ?? 'data', 'postgres') });
}

/** Lists the source folders that the service loads. */
function sourceFolders() {
  const within = (folder) => readdirSync(folder).map((name) => `${folder}/${name}`);
  const groups = within('libs').filter((group) => group !== 'libs/clients');
  const libs = groups.flatMap(within);
  return ['apps/api', ...libs].map((project) => join(project, 'src')).filter((folder) => existsSync(folder));
}

function note(file) {
  if (!file.endsWith('.ts') || /\.(int-|e2e-)?spec\.ts$|\.fixtures\.ts$/.test(file)) return;
  changed.add(file);
  clearTimeout(timer);
  timer = setTimeout(() => void restart(), QUIET_MS);
}

/** Compiles changed files and restarts the service. If a file does not compile, the old service continues to run. */
async function restart() {
  const [startedAt, files] = [performance.now(), [...changed]];
  changed.clear();
  try {
    await Promise.all(files.map((file) => compile(file)));
  } catch (error) {
    for (const file of files) changed.add(file);
    console.error(`${String(error.message).split('\n\n')[0]}\nThe service runs on as it was before this change.`);
    return;
  }
  const names = files.map((file) => relative(root, file)).join(', ');
  // A busy machine may report one change several times.
  if (!isOutdated) return console.log(`The code is the same as before: ${names}`);
  isOutdated = false;
  const former = service;
  service = stopped(former).then(() => start(['--quiet']));
  const child = await service;
  child.once('message', () => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`Restarted in ${seconds} s: ${names}`);
  });
}

/** Bundles the workbench. The running service serves the new files as soon as a browser reloads the page. */
function bundleWorkbench() {
  fork(join('apps', 'workbench', 'build.mjs')).once('exit', (code) => {
    console.log(code === 0 ? 'Bundled the workbench: reload its page.' : 'The workbench is as before this change.');
  });
}

/** Writes the compiled form of a source file to the build's output. Deletes it there if the source file was deleted. */
async function compile(file) {
  const [project, path] = file.split(`${join('/', 'src', '/')}`);
  const target = join(project, 'dist', path.replace(/\.ts$/, '.js'));
  // Delete tsc's cache. Otherwise, tsc would keep this output even if the change is discarded.
  rmSync(join(project, 'dist', '.tsbuildinfo'), { force: true });
  if (!existsSync(file)) {
    isOutdated ||= existsSync(target);
    return rmSync(target, { force: true });
  }
  const sourceFileName = relative(dirname(target), file);
  const { code } = await transformFile(file, { ...compiler, filename: file, sourceFileName });
  if (existsSync(target) && readFileSync(target, 'utf8') === code) return;
  isOutdated = true;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, code);
}

function start(words) {
  const child = next?.connected ? next : prepared();
  next = null;
  child.once('exit', reportFailure);
  child.send(['--document-on-request', ...words]);
  child.once('message', () => {
    // Do not prepare a second process under a debugger, because a debugger attaches to one process at a time.
    if (options.length === 0 && !stopping) next = prepared();
  });
  return child;
}

/** Creates a process that loads packages and then waits until it becomes the service. */
function prepared() {
  return fork(join(root, 'tools', 'dev-service.cjs'), {
    execArgv: options,
    // Start the service in its own process group, because this process stops it after Ctrl-C.
    detached: process.platform !== 'win32',
    // Make Node (from version 22 on) reuse the compiled code of the previous start.
    env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
  });
}

function reportFailure(code) {
  if (code) console.error(`The service ended with ${code}. It starts again with the next change.`);
}

/** Stops the service gracefully, and waits until it has ended. */
async function stopped(running) {
  const child = await running;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  // The signal kills a service that is still starting. Do not report this as a failure.
  child.off('exit', reportFailure);
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exit;
  clearTimeout(killer);
}
