// Runs the examples as a team would run them: outside of this workspace, from packed tarballs that a registry on this
// machine serves, with their own `npm test`.
//   node tools/pack-examples.mjs          each example by npm, and two by pnpm and yarn
//   node tools/pack-examples.mjs --all    each example by each package manager, and on Nest 11 and 12
//   node tools/pack-examples.mjs --all pnpm    those whose name contains this
//   node tools/pack-examples.mjs --nodes=22,24,26    on these versions of Node too
import { execFile } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { judgePackages } from './judge-packages.mjs';
import { serveRegistry } from './local-registry.mjs';
import { packAll } from './pack.mjs';
import { environmentOf, installNode } from './node-versions.mjs';
import { bunRuntime, packageManagers, plugAndPlay } from './package-managers.mjs';
import { compileAllTypes } from './strict-types.mjs';

const exec = promisify(execFile);
const root = join(import.meta.dirname, '..');
const temp = mkdtempSync(join(tmpdir(), 'passwright-examples-'));
// A team's environment does not have this workspace's settings of npm and Nx, nor the conditions that lead to sources.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NX_|NODE_OPTIONS$|NODE_PATH$)/i.test(name)),
);
const started = Date.now();
const examples = ['plain-script', 'serverless', 'passes-only', 'nest-app', 'fastify-app'];
const onNest = ['passes-only', 'nest-app', 'fastify-app'];
/** The short form: what differs most between package managers. */
const short = [
  ...examples.map((example) => ({ example, manager: 'npm' })),
  { example: 'nest-app', manager: 'npm', nest: 12 },
  { example: 'passes-only', manager: 'pnpm' },
  { example: 'plain-script', manager: plugAndPlay },
];
const wanted = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? '';
const versions =
  process.argv
    .find((word) => word.startsWith('--nodes='))
    ?.slice('--nodes='.length)
    .split(',') ?? [];
/** The outcome of each run, by name. */
const outcomes = new Map();
let registry;

try {
  checkQuotes(join(root, 'docs/libraries.md'));
  const tarballs = await timed('packed', () => packAll(join(temp, 'tarballs')));
  await timed(`judged ${tarballs.size} tarballs by publint and attw`, () => judgePackages(tarballs));
  registry = await serveRegistry(tarballs);
  const managers = packageManagers({ registry: registry.url, folder: join(temp, 'managers'), run });
  const types = join(temp, 'types');
  await timed('types of all packages, strictest settings', () =>
    compileAllTypes({ folder: types, tarballs, managers }),
  );
  const nodes = [null, ...versions.map((version) => installNode(version, join(temp, 'nodes')))];
  for (const each of process.argv.includes('--all') ? allOf(managers.names) : short) {
    const { example, manager, nest = 11 } = each;
    const name = `${example}, ${manager}${onNest.includes(example) ? `, Nest ${nest}` : ''}`;
    if (name.includes(wanted)) await runExample(each, name, { managers, tarballs, nodes });
  }
  for (const [name, outcome] of outcomes) console.log(`${outcome}\t${name}`);
  const failed = [...outcomes.values()].filter((outcome) => outcome === 'failed').length;
  console.log(`${outcomes.size - failed} of ${outcomes.size} runs from tarballs passed, in ${seconds(started)} s`);
  if (failed > 0) process.exitCode = 1;
} catch (error) {
  report(error);
  process.exitCode = 1;
} finally {
  registry?.close();
  rmSync(temp, { recursive: true, force: true });
}

function allOf(managers) {
  return managers.flatMap((manager) =>
    (manager === bunRuntime ? ['plain-script'] : examples).flatMap((example) =>
      (onNest.includes(example) ? [11, 12] : [11]).map((nest) => ({ example, manager, nest })),
    ),
  );
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

/** Copies an example to a folder of its own, installs it and runs its tests on each Node. Nest 12 is ESM only. */
async function runExample({ example, manager, nest }, name, { managers, tarballs, nodes }) {
  const folder = join(temp, name.replaceAll(/[^\w]+/g, '-'));
  cpSync(join(root, 'examples', example), folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist/.test(path),
  });
  if (nest === 12) useNest12(folder);
  await noted(`${name}: installation`, async () => {
    await managers.install(manager, folder);
    for (const dependency of tarballs.keys()) requirePacked(join(folder, 'node_modules', dependency), manager);
  });
  for (const node of outcomes.get(`${name}: installation`) === 'failed' ? [] : nodes) {
    if (manager === bunRuntime && node) break;
    const { stdout: version } = await run(node ?? process.execPath, ['--version'], folder);
    // Yarn's loader of ES modules does not find reflect-metadata before Node 24.
    if (manager === plugAndPlay && nest === 12 && /^v2[0-3]/.test(version)) continue;
    await noted(manager === bunRuntime ? name : `${name}, Node ${version.trim()}`, async () => {
      const { stdout } = await managers.test(manager, folder, node ? environmentOf(node) : {});
      process.stdout.write(stdout);
    });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Runs work and notes its outcome, so that the other combinations still run. */
async function noted(name, work) {
  try {
    await timed(name, work);
    outcomes.set(name, 'passed');
  } catch (error) {
    outcomes.set(name, 'failed');
    console.log(`${name}: failed`);
    report(error);
  }
}

function report(error) {
  console.error(error.stdout ?? '', error.stderr ?? '', error.stdout === undefined ? error : error.message);
}

function useNest12(folder) {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.type = 'module';
  for (const dependency of Object.keys(manifest.dependencies)) {
    if (dependency.startsWith('@nestjs/')) manifest.dependencies[dependency] = '^12.0.0';
  }
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}

function requirePacked(folder, manager) {
  if (!existsSync(folder)) return;
  // pnpm links to its store, where the packages are.
  if ((manager === 'npm' && lstatSync(folder).isSymbolicLink()) || existsSync(join(folder, 'src'))) {
    throw new Error(`${folder} is not from a tarball`);
  }
}

function run(command, args, cwd, more = {}) {
  return exec(command, args, { cwd, env: { ...env, ...more }, timeout: 300_000, maxBuffer: 64 << 20 });
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
