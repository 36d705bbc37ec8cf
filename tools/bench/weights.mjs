/**
 * Measures how much each package adds to an app: the size of its files and of all packages that it depends on, without
 * peers, and the CPU that loading it takes. Each load runs in a separate process. The packages take turns, so that a
 * noisy machine slows all of them equally.
 *
 *   npm run bench:weights -- [rounds, default 9] [--write into docs/libraries.md]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolders } from '../pack.mjs';
import { writeTable } from './documented-table.mjs';
import { median } from './load.mjs';
import { machine } from './servers.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rounds = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? 9);
/** Matches files of the workspace that are not published. */
const unpacked = /^(node_modules|src|test)$|\.tsbuildinfo$|\.d\.ts\.map$/;

const packages = packageFolders().map(weightOf);
const subjects = [
  { name: 'Node alone', entries: [] },
  { name: 'NestJS, Swagger and TypeORM', entries: ['@nestjs/core', '@nestjs/swagger', '@nestjs/typeorm'] },
  ...packages.flatMap(({ name, entries }) => entries.map((entry) => ({ name: entry, entries: [entry], of: name }))),
];
const loads = new Map(subjects.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const { name, entries } of subjects) loads.get(name).push(load(entries));
}
const table = tableOf();
console.log(`\n${machine}, medians of ${rounds} loads\n\n${table}`);
if (process.argv.includes('--write')) {
  writeTable('weights', `${machine}, medians of ${rounds} loads.`, table, join(root, 'docs/libraries.md'));
}

/** Adds up the files of a package and of everything that it depends on. */
function weightOf(folder) {
  const { name, exports, bin } = manifestOf(folder);
  const folders = closureOf(folder);
  const others = [...folders].filter((each) => !each.startsWith(`${root}libs/`) && each !== folder);
  return {
    name,
    // A package with a command line is not imported, so there are no entries to load.
    entries: bin ? [] : Object.keys(exports).flatMap((path) => (isCode(exports[path]) ? [name + path.slice(1)] : [])),
    bytes: bytesOf(folder),
    allBytes: [...folders].reduce((sum, each) => sum + bytesOf(each), 0),
    others: others.length,
  };
}

function isCode(target) {
  return typeof target === 'object' && 'default' in target;
}

/**
 * Collects the folders of a package and its dependencies as Node resolves them. Skips peer dependencies, which the app
 * installs itself.
 */
function closureOf(folder, found = new Set()) {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const dependency = installed(name, folder);
    // An optional dependency that is not installed is for another platform.
    if (dependency) closureOf(dependency, found);
    else if (!(name in optionalDependencies)) throw new Error(`${name} of ${folder} is not installed: npm ci`);
  }
  return found;
}

function installed(name, from) {
  const path = join(from, 'node_modules', name);
  if (existsSync(path)) return realpathSync(path);
  return dirname(from) === from ? null : installed(name, dirname(from));
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !unpacked.test(name) || (name !== 'node_modules' && !folder.startsWith(root)))
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesOf(path) : lstatSync(path).size);
    }, 0);
}

/**
 * Loads modules in a new process.
 * @returns the milliseconds of CPU and the bytes of resident memory
 */
function load(entries) {
  const program = `
    const start = process.cpuUsage();
    for (const entry of ${JSON.stringify(entries)}) require(entry);
    const { user, system } = process.cpuUsage(${entries.length > 0 ? 'start' : ''});
    console.log(JSON.stringify({ ms: (user + system) / 1000, bytes: process.memoryUsage.rss() }));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' }));
}

function tableOf() {
  /** @type {(string | number)[][]} */
  const rows = [['Package', 'Its MB', 'Other packages', 'MB with all', 'CPU to load, ms', 'Memory, MB']];
  const loaded = (name) => {
    const figures = loads.get(name) ?? [];
    if (figures.length === 0) return ['', ''];
    return [
      Math.round(median(figures.map(({ ms }) => ms))),
      Math.round(median(figures.map(({ bytes }) => bytes)) / 1e6),
    ];
  };
  for (const { name } of subjects.slice(0, 2)) rows.push([name, '', '', '', ...loaded(name)]);
  for (const { name, entries, bytes, allBytes, others } of packages) {
    rows.push([`\`${name}\``, mb(bytes), others, mb(allBytes), ...loaded(entries.includes(name) ? name : null)]);
    for (const entry of entries) if (entry !== name) rows.push([`\`${entry}\``, '', '', '', ...loaded(entry)]);
  }
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(rows[0]), line(rows[0].map((_, column) => (column ? '--:' : '---'))), ...rows.slice(1).map(line)].join(
    '\n',
  );
}

function mb(bytes) {
  return (bytes / 1e6).toFixed(1);
}
