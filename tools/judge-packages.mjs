import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const needed = ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js', 'dist/index.d.ts'].map(
  (file) => `package/${file}`,
);
const surplus = /\/src\/|spec\.|fixtures\.|tsbuildinfo|\.d\.ts\.map$/;

/**
 * Checks tarballs with publint and Are The Types Wrong, and for files that are missing or do not belong there.
 *
 * @param tarballs paths by package name. @throws Error with all errors
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

function typeProblems(result) {
  if (!('problems' in result)) return ['it has no types'];
  return result.problems.map((problem) => `types: ${JSON.stringify(problem)}`);
}
