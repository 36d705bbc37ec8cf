// Runs the examples as a team would run them: outside of this workspace, from packed tarballs, with their own `npm
// test`.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { judgePackages } from './judge-packages.mjs';
import { packAll } from './pack.mjs';

const exec = promisify(execFile);
const root = join(import.meta.dirname, '..');
const temp = mkdtempSync(join(tmpdir(), 'passwright-examples-'));
// A team's environment does not have this workspace's settings of npm and Nx, nor the conditions that lead to sources.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NX_|NODE_OPTIONS$|NODE_PATH$)/i.test(name)),
);
const started = Date.now();

try {
  checkQuotes(join(root, 'docs/libraries.md'));
  const tarballs = await timed('packed', () => packAll(join(temp, 'tarballs')));
  await timed(`judged ${tarballs.size} tarballs by publint and attw`, () => judgePackages(tarballs));
  await timed('plain-script', () => runExample('plain-script', tarballs));
  await timed('passes-only', () => runExample('passes-only', tarballs));
  const app = await timed('nest-app (Nest 11, CommonJS)', () => runExample('nest-app', tarballs));
  await timed('nest-app (Nest 12, ESM)', () => runOnNest12(app));
  console.log(`all examples run from tarballs, in ${seconds(started)} s`);
} catch (error) {
  console.error(error.stdout ?? '', error.stderr ?? '', error.stdout === undefined ? error : error.message);
  process.exitCode = 1;
} finally {
  rmSync(temp, { recursive: true, force: true });
}

/** Checks that each quotation after a comment `examples/…` matches that file word for word. */
function checkQuotes(document) {
  const quotes = [...readFileSync(document, 'utf8').matchAll(/<!-- (examples\/\S+) -->\n+```\w+\n([\s\S]*?)\n```/g)];
  if (quotes.length === 0) throw new Error(`${document} quotes no example`);
  for (const [, file, quoted] of quotes) {
    if (dense(readFileSync(join(root, file), 'utf8')).includes(dense(quoted).replace(/[,;]$/, ''))) continue;
    throw new Error(`${document} quotes what is not in ${file}:\n${quoted}`);
  }
}

/** Removes line breaks and indentation, which may differ in a quotation. */
function dense(code) {
  return code.replaceAll(/,?\s+/g, '').replaceAll(/[,;](?=[\])}])/g, '');
}

/** Runs one example. @returns the folder in which it ran */
async function runExample(name, tarballs) {
  const folder = join(temp, name);
  cpSync(join(root, 'examples', name), folder, { recursive: true, filter: (path) => !/node_modules|dist/.test(path) });
  edit(folder, (manifest) => {
    for (const kind of ['dependencies', 'devDependencies']) {
      for (const dependency of Object.keys(manifest[kind] ?? {})) {
        if (tarballs.has(dependency)) manifest[kind][dependency] = `file:${tarballs.get(dependency)}`;
      }
    }
    // Packages depend on each other through tarballs too, because no registry has them.
    manifest.overrides = Object.fromEntries([...tarballs].map(([dependency, path]) => [dependency, `file:${path}`]));
  });
  await installAndTest(folder);
  for (const dependency of tarballs.keys()) requirePacked(join(folder, 'node_modules', dependency));
  return folder;
}

/** Runs the same sources as an ESM app with the next major version of Nest, which is ESM only. */
async function runOnNest12(app) {
  const folder = `${app}-nest-12`;
  cpSync(app, folder, {
    recursive: true,
    filter: (path) => !/package-lock|\/dist(\/|$)/.test(path.slice(app.length)) || path.includes('node_modules'),
  });
  edit(folder, (manifest) => {
    manifest.type = 'module';
    for (const dependency of Object.keys(manifest.dependencies)) {
      if (dependency.startsWith('@nestjs/')) manifest.dependencies[dependency] = '^12.0.0';
    }
  });
  rmSync(join(folder, 'node_modules/@nestjs'), { recursive: true });
  await installAndTest(folder);
}

async function installAndTest(folder) {
  await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  const { stdout } = await run('npm', ['test', '--silent'], folder);
  process.stdout.write(stdout);
}

function requirePacked(folder) {
  if (!existsSync(folder)) return;
  if (lstatSync(folder).isSymbolicLink() || existsSync(join(folder, 'src'))) {
    throw new Error(`${folder} is not from a tarball`);
  }
}

function edit(folder, change) {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  change(manifest);
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}

function run(command, args, cwd) {
  return exec(command, args, { cwd, env, timeout: 300_000, maxBuffer: 64 << 20 });
}

async function timed(what, work) {
  const from = Date.now();
  const result = await work();
  console.log(`${what}: ${seconds(from)} s`);
  return result;
}

function seconds(from) {
  return ((Date.now() - from) / 1000).toFixed(1);
}
