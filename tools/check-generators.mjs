// npm run openapi:generators: public generators of clients read docs/openapi.json, and strict compilers compile what they
// write. It takes the generators from npm, and leaves the repository as it was.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version as ownVersion } from 'typescript';
import { root } from './install.mjs';

const document = join(root, 'docs/openapi.json');
const packages = {
  'openapi-typescript': '7.13.0',
  '@hey-api/openapi-ts': '0.80.16',
  'swagger-typescript-api': '13.13.0',
  typescript: '5.9.3',
};
const strict = { strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
const strictest = { ...strict, exactOptionalPropertyTypes: true };

/**
 * The arguments of each generator's command, and the files to compile. What `@hey-api/openapi-ts` writes for every API
 * does not compile with `exactOptionalPropertyTypes`, also in 0.99.0. So only the types of this one do.
 */
const generators = [
  {
    name: 'openapi-typescript',
    args: [document, '-o', 'openapi-typescript/index.ts'],
    compiled: [{ file: 'index.ts', options: strictest }],
  },
  {
    name: '@hey-api/openapi-ts',
    args: ['-i', document, '-o', '@hey-api/openapi-ts'],
    compiled: [
      { file: 'index.ts', options: strict },
      { file: 'types.gen.ts', options: strictest },
    ],
  },
  {
    name: 'swagger-typescript-api',
    args: ['generate', '-p', document, '-o', 'swagger-typescript-api', '-n', 'index.ts', '--module-name-first-tag'],
    compiled: [{ file: 'index.ts', options: strictest }],
  },
];
const platform = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
};

// Outside the repository, where openapi-typescript finds no rules of a linter and npm no workspace.
const folder = mkdtempSync(join(tmpdir(), 'passwright-generators-'));
const programs = join(folder, 'node_modules/.bin');
const compilers = {
  [`TypeScript ${packages.typescript}`]: join(programs, 'tsc'),
  [`TypeScript ${ownVersion}`]: join(root, 'node_modules/.bin/tsc'),
};

/** Runs a program, and prints what it writes only if it fails. @returns whether it has succeeded */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) console.error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return status === 0;
}

function install() {
  const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!run('npm', ['install', '--prefix', folder, ...options, ...specs])) throw new Error('npm installed nothing');
}

/** @returns rows of the table */
function check({ name, args, compiled }) {
  mkdirSync(join(folder, name), { recursive: true });
  const generator = `${name} ${packages[name]}`;
  const command = join(programs, /** @type {string} */ (name.split('/').at(-1)));
  if (!run(command, args)) return [{ generator, result: 'generates nothing' }];
  return compiled.flatMap(({ file, options }) => {
    const config = join(folder, name, `${file}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...platform, ...options }, files: [file] }));
    return Object.entries(compilers).map(([compiler, tsc]) => {
      const result = run(tsc, ['-p', config]) ? 'compiles' : 'does not compile';
      return {
        generator,
        file,
        compiler,
        options: Object.keys(options)
          .filter((key) => options[key])
          .join(' '),
        result,
      };
    });
  });
}

try {
  install();
  const rows = generators.flatMap(check);
  console.table(rows);
  if (rows.some(({ result }) => result !== 'compiles')) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
