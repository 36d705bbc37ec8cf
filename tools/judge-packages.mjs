import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const needed = ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'dist/index.d.ts'].map(
  (file) => `package/${file}`,
);
const modules = join(import.meta.dirname, '../node_modules');
const surplus = /\/src\/|spec\.|fixtures\.|tsbuildinfo|\.d\.ts\.map$/;

/**
 * Checks tarballs with publint and Are The Types Wrong. Also finds missing files, and files that do not belong there.
 * @param tarballs paths by package name
 * @throws Error with all errors
 */
export async function judgePackages(tarballs) {
  const violations = [];
  for (const [name, path] of tarballs) {
    for (const problem of await problemsOf(path)) violations.push(`${name}: ${problem}`);
  }
  if (violations.length > 0) throw new Error(violations.join('\n'));
}

async function problemsOf(path) {
  const bytes = readFileSync(path);
  const files = execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n');
  const manifest = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }));
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return [
    ...needed.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => surplus.test(file)).map((file) => `${file} is not for the tarball`),
    ...manifestProblems(manifest),
    ...importProblems(manifest, path, files),
    ...messages.map((message) => formatMessage(message, pkg)),
    ...typeProblems(await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)))),
  ];
}

function manifestProblems({ description, license, engines, keywords, dependencies = {} }) {
  const exact = Object.entries(dependencies).filter(([, range]) => /^\d+\.\d+\.\d+$/.test(range));
  return [
    ...(description && license && engines?.node && keywords?.length ? [] : ['its metadata is incomplete']),
    ...exact.map(([name]) => `it pins ${name}, so an app cannot take its fixes`),
  ];
}

/**
 * Finds imports of packages that the manifest does not list. Without a manifest entry, an import works only if another
 * package happens to install the imported package.
 */
function importProblems({ name, dependencies, optionalDependencies, peerDependencies }, path, files) {
  const named = { ...dependencies, ...optionalDependencies, ...peerDependencies };
  const folder = mkdtempSync(join(tmpdir(), 'passwright-package-'));
  execFileSync('tar', ['-xzf', path, '-C', folder]);
  const problems = new Set();
  for (const file of files.filter((each) => /\.(js|cjs|d\.ts)$/.test(each))) {
    for (const imported of importsOf(readFileSync(join(folder, file), 'utf8'), file)) {
      if (imported !== name && !(imported in named))
        problems.add(`it imports ${imported}, which it does not depend on`);
      // An app installs the types of peer dependencies itself, so the package need not depend on them.
      const types = `@types/${imported}`;
      if (!file.endsWith('.d.ts') || imported in (peerDependencies ?? {}) || types in named) continue;
      if (existsSync(join(modules, types))) problems.add(`its types need ${types}, which it does not depend on`);
    }
  }
  rmSync(folder, { recursive: true });
  return problems;
}

/** Lists the packages that a file imports. */
function importsOf(text, file) {
  const form = file.endsWith('.d.ts')
    ? /(?:from|import\() ?["'](@?\w[\w./-]*)["']/g
    : /(?:require|import)\(["'](@?\w[\w./-]*)["']\)|from ["'](@?\w[\w./-]*)["'];/g;
  const paths = [...text.matchAll(form)].map(([, one, other]) => one ?? other);
  const names = paths.map((path) =>
    path
      .split('/')
      .slice(0, path.startsWith('@') ? 2 : 1)
      .join('/'),
  );
  return new Set(names.filter((name) => !builtinModules.includes(name)));
}

function typeProblems(result) {
  if (!('problems' in result)) return ['it has no types'];
  return result.problems.map((problem) => `types: ${JSON.stringify(problem)}`);
}
