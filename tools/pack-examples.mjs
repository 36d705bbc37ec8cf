/**
 * Runs the examples as a team would run them: outside of this workspace, from packed tarballs that a registry on this
 * machine serves, with their own checks. Two more apps import every package and use the command line.
 *   node tools/pack-examples.mjs          each app by npm, and some by pnpm and yarn
 *   node tools/pack-examples.mjs --all    each app by each package manager, as CommonJS and ESM, on Nest 11 and 12, and on
 *                                         every maintained version of Node
 *   node tools/pack-examples.mjs --all pnpm    combinations whose name contains pnpm
 *   node tools/pack-examples.mjs --all --nodes=20,26    on these versions of Node
 *   node tools/pack-examples.mjs --all --write    writes the results into docs/libraries.md
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { writeTable } from './bench/documented-table.mjs';
import { runApp } from './installed/app-runs.mjs';
import { nameOf, shortForm, wholeForm } from './installed/combinations.mjs';
import { documentTable, failuresOf, terminalTable } from './installed/result-table.mjs';
import { withSurroundings } from './installed/surroundings.mjs';
import { judgePackages } from './judge-packages.mjs';
import { serveRegistry } from './local-registry.mjs';
import { installNode, maintainedNodes } from './node-versions.mjs';
import { packAll } from './pack.mjs';
import { bunRuntime, packageManagers } from './package-managers.mjs';

const exec = promisify(execFile);
const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/libraries.md');
const temp = mkdtempSync(join(tmpdir(), 'passwright-examples-'));
// Simulate a team's environment, without this workspace's settings, programs and export condition.
process.env.PATH = process.env.PATH.split(delimiter)
  .filter((folder) => !folder.startsWith(root))
  .join(delimiter);
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|NX_|NODE_OPTIONS$|NODE_PATH$)/i.test(name)),
);
const started = Date.now();
const words = process.argv.slice(2);
const isWhole = words.includes('--all');
const wanted = words.find((word) => !word.startsWith('--')) ?? '';
const versions = words
  .find((word) => word.startsWith('--nodes='))
  ?.slice('--nodes='.length)
  .split(',');
let registry;

try {
  checkQuotes(page);
  const tarballs = await timed('packed', () => packAll(join(temp, 'tarballs')));
  if (!wanted) await timed(`judged ${tarballs.size} tarballs by publint and attw`, () => judgePackages(tarballs));
  registry = await serveRegistry(tarballs);
  const managers = packageManagers({ registry: registry.url, folder: join(temp, 'managers'), run });
  const groups = (isWhole ? wholeForm(managers.names) : shortForm()).filter((each) => nameOf(each).includes(wanted));
  const nodes = await nodesFor(versions ?? (isWhole ? maintainedNodes : []));
  const rows = await withSurroundings(({ environmentFor }) =>
    inPool(groups, (group) => runApp(group, { temp, tarballs, managers, nodes, environmentFor })),
  );
  report(rows, nodes, managers.names);
} catch (error) {
  console.error(error.stdout ?? '', error.stderr ?? '', error.stdout === undefined ? error : error.message);
  process.exitCode = 1;
} finally {
  registry?.close();
  rmSync(temp, { recursive: true, force: true });
}

/** Installs the given versions of Node. If none is given, the checks run on the Node that runs this script. */
async function nodesFor(majors) {
  const programs =
    majors.length > 0 ? majors.map((major) => installNode(major, join(temp, 'nodes'))) : [process.execPath];
  const nodes = [];
  for (const program of programs) {
    const version = (await run(program, ['--version'], temp)).stdout.trim().slice(1);
    nodes.push({ program, version, major: version.split('.')[0] });
  }
  return nodes;
}

/**
 * Runs as many groups at once as the machine has cores.
 * @returns their rows in order
 */
async function inPool(groups, work) {
  const results = [];
  const queue = [...groups.entries()];
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return results.flat();
}

function report(rows, nodes, names) {
  console.log(`\n${terminalTable(rows, nodes)}\n`);
  const failed = failuresOf(rows);
  console.log(`${rows.length - failed.length} of ${rows.length} combinations passed, in ${seconds(started)} s`);
  if (failed.length > 0 || rows.length === 0) process.exitCode = 1;
  const managers = names.filter((name) => name !== bunRuntime);
  const documented = rows.filter(({ manager }) => manager !== bunRuntime);
  const conditions = `${new Date().toISOString().slice(0, 10)}, Node ${nodes.map(({ version }) => version).join(', ')}.`;
  if (words.includes('--write')) writeTable('installed', conditions, documentTable(documented, nodes, managers), page);
}

/** Checks quotations in a document. The code after a comment such as `examples/…` must be the same as in this file. */
function checkQuotes(document) {
  const quotes = [...readFileSync(document, 'utf8').matchAll(/<!-- (examples\/\S+) -->\n+```\w+\n([\s\S]*?)\n```/g)];
  if (quotes.length === 0) throw new Error(`${document} quotes no example`);
  for (const [, file, quoted] of quotes) {
    if (dense(readFileSync(join(root, file), 'utf8')).includes(dense(quoted).replace(/[,;]$/, ''))) continue;
    throw new Error(`${document} quotes what is not in ${file}:\n${quoted}`);
  }
}

/** Removes line breaks and indentation, because a quotation may be formatted differently. */
function dense(code) {
  return code.replaceAll(/,?\s+/g, '').replaceAll(/[,;](?=[\])}])/g, '');
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
