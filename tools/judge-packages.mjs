import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const needed = ['package/README.md', 'package/LICENSE', 'package/dist/index.js', 'package/dist/index.d.ts'];
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
    ...messages.map((message) => formatMessage(message, pkg)),
    ...typeProblems(manifest, await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)))),
  ];
}

function typeProblems({ type }, result) {
  if (!('problems' in result)) return ['it has no types'];
  // An ESM package can only be imported, as its README says, so CommonJS users get no types.
  const ignored = type === 'module' ? ['node10', 'node16-cjs'] : [];
  return result.problems
    .filter(
      ({ kind, resolutionKind }) =>
        !ignored.includes(resolutionKind) && !(type === 'module' && kind === 'CJSResolvesToESM'),
    )
    .map((problem) => `types: ${JSON.stringify(problem)}`);
}
