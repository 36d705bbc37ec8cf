/**
 * Checks that public client generators can read docs/openapi.json, and that strict compilers compile their output.
 * Takes the generators from npm, and leaves the repository unchanged.
 *   node tools/check-generators.mjs            three generators
 *   node tools/check-generators.mjs --short    the two that take few seconds, for CI
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version as ownVersion } from 'typescript';
import { root } from './install.mjs';

const exec = promisify(execFile);
const document = join(root, 'docs/openapi.json');
const started = Date.now();
const olderTypeScript = '5.9.3';
const strict = { strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
const strictest = { ...strict, exactOptionalPropertyTypes: true };

/**
 * The command-line arguments of each generator, and the files to compile. The client of `@hey-api/openapi-ts` 0.99.0
 * never compiles with `exactOptionalPropertyTypes`, whatever the API. So only its types are compiled with this option.
 */
const generators = [
  {
    name: 'openapi-typescript',
    version: '7.13.0',
    args: [document, '-o', 'openapi-typescript/index.ts'],
    strictest: ['index.ts'],
  },
  {
    name: 'swagger-typescript-api',
    version: '13.13.0',
    args: ['generate', '-p', document, '-o', 'swagger-typescript-api', '-n', 'index.ts', '--module-name-first-tag'],
    strictest: ['index.ts'],
  },
  {
    name: '@hey-api/openapi-ts',
    version: '0.80.16',
    args: ['-i', document, '-o', '@hey-api/openapi-ts'],
    strictest: ['types.gen.ts'],
    strict: ['index.ts'],
    isSlow: true,
  },
].filter(({ isSlow }) => !isSlow || !process.argv.includes('--short'));
const platform = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
};

// Work outside the repository, so that openapi-typescript finds no linter rules and npm finds no workspace.
const folder = mkdtempSync(join(tmpdir(), 'passwright-generators-'));
const programs = join(folder, 'node_modules/.bin');
const compilers = {
  [`TypeScript ${olderTypeScript}`]: join(programs, 'tsc'),
  [`TypeScript ${ownVersion}`]: join(root, 'node_modules/.bin/tsc'),
};

/**
 * Runs a program, and prints its output if it fails.
 * @returns true if it has succeeded
 */
async function run(command, args) {
  try {
    await exec(command, args, { cwd: folder, maxBuffer: 1 << 26 });
    return true;
  } catch (error) {
    const { code, stdout = '', stderr = '' } = /** @type {any} */ (error);
    console.error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
    return false;
  }
}

async function install() {
  const specs = generators.map(({ name, version }) => `${name}@${version}`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const all = ['install', '--prefix', folder, ...options, ...specs, `typescript@${olderTypeScript}`];
  if (!(await run('npm', all))) throw new Error('npm installed nothing');
}

async function generate({ name, args }) {
  mkdirSync(join(folder, name), { recursive: true });
  const command = join(programs, /** @type {string} */ (name.split('/').at(-1)));
  if (!(await run(command, args))) throw new Error(`${name} generates nothing`);
}

/**
 * Compiles the output of all generators with each compiler.
 * @returns the rows of the table
 */
function compile(kind, options) {
  const files = generators.flatMap((one) => (one[kind] ?? []).map((file) => `${one.name}/${file}`));
  if (files.length === 0) return [];
  const config = join(folder, `${kind}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...platform, ...options }, files }));
  return Object.entries(compilers).map(async ([compiler, tsc]) => {
    const result = (await run(tsc, ['-p', config])) ? 'compile' : 'do not compile';
    return { files: files.join(' '), options: kind, compiler, result };
  });
}

try {
  await install();
  await Promise.all(generators.map(generate));
  const rows = await Promise.all([...compile('strictest', strictest), ...compile('strict', strict)]);
  console.table(rows);
  if (rows.some(({ result }) => result !== 'compile')) process.exitCode = 1;
  console.log(`${generators.length} generators, in ${Math.round((Date.now() - started) / 1000)} s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
