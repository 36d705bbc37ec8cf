/**
 * npm run release:packages: builds and packs every package, and shows what npm would publish.
 *
 * npm run release:packages -- --publish: publishes the packages. Run `npm run release:version` first, which sets their
 * versions.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from './install.mjs';
import { packAll } from './pack.mjs';

const publishes = process.argv.includes('--publish');
if (publishes) rejectUncommitted();
npm('run', 'build', '--silent');
const target = mkdtempSync(join(tmpdir(), 'passwright-release-'));
try {
  const tarballs = await packAll(target);
  for (const tarball of tarballs.values()) {
    npm('publish', tarball, '--access', 'public', ...(publishes ? ['--provenance'] : ['--dry-run']));
  }
  console.log(
    `${tarballs.size} packages ${publishes ? 'published' : 'could be published: npm run release:packages -- --publish'}.`,
  );
} finally {
  rmSync(target, { recursive: true, force: true });
}

/** Ends the process if the checkout has uncommitted changes. */
function rejectUncommitted() {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
  if (stdout === '') return;
  console.error(`Commit these first:\n${stdout}`);
  process.exit(1);
}
