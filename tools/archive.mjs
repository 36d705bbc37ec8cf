/**
 * npm run release:archive -- <file.tar.gz>: packs the committed files together with their build. In the unpacked
 * folder, `npm start` then builds nothing, and installs only the packages that the service needs.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { root } from './install.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'apps/api/package.json'), 'utf8'));
const name = `passwright-${version}`;
const target = resolve(process.argv[2] ?? join(root, `${name}.tar.gz`));
const temp = mkdtempSync(join(tmpdir(), 'passwright-archive-'));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });

try {
  const tree = join(temp, 'tree.tar');
  git('archive', '--prefix', `${name}/`, '--output', tree, 'HEAD');
  execFileSync('tar', ['-xf', tree, '-C', temp]);
  for (const manifest of git('ls-files', 'apps', 'libs')
    .split('\n')
    .filter((path) => path.endsWith('/package.json'))) {
    const dist = join(dirname(manifest), 'dist');
    const isNeeded = (path) => !/\.(tsbuildinfo|d\.ts\.map)$/.test(path);
    if (existsSync(join(root, dist))) {
      cpSync(join(root, dist), join(temp, name, dist), { recursive: true, filter: isNeeded });
    }
  }
  writeFileSync(
    join(temp, name, 'release.json'),
    `${JSON.stringify({ version, commit: git('rev-parse', 'HEAD').trim() })}\n`,
  );
  execFileSync('tar', ['-czf', target, '-C', temp, name]);
  console.log(target);
} finally {
  rmSync(temp, { recursive: true });
}
