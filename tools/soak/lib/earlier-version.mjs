/**
 * The service as it was before the newest migration, from the git history of this checkout. It runs from its sources
 * with the packages that are installed here, so it needs no build.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const MIGRATIONS = 'libs/platform/database/src/migrations';
/** The folders of our packages, in this version and in earlier ones. */
const WORKSPACES = ['apps', 'libs', 'libs/clients', 'libs/domain', 'libs/platform', 'libs/providers', 'libs/rendering'];

/**
 * Unpacks the version before the newest migration into `folder`.
 * @returns how to start it, and its commit; null if the history does not go back far enough
 * @throws if git fails
 */
export function unpackEarlierVersion(folder) {
  const commit = commitBeforeNewestMigration();
  if (!commit) return null;
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: Infinity });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkPackages(folder);
  const sources = join(folder, 'libs/testing/jest/typescript-sources.cjs');
  return { main: join(folder, 'apps/api/src/main.ts'), execArgv: ['-r', sources], commit: commit.slice(0, 8) };
}

function commitBeforeNewestMigration() {
  if (!existsSync(join(root, '.git'))) return null;
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  const added = git('log', '-1', '--format=%H', '--diff-filter=A', '--', `${MIGRATIONS}/[0-9]*.ts`);
  // In a shallow clone, the oldest commit has no parent and so seems to add every file.
  const [, parent = null] = git('rev-list', '--parents', '-1', added).split(' ');
  return parent;
}

/**
 * Links the installed packages into the folder. Links our own packages to their sources in the earlier version instead.
 */
function linkPackages(folder) {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@passwright'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@passwright' && name !== '.cache') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const workspace of WORKSPACES) {
    if (!existsSync(join(folder, workspace))) continue;
    for (const name of readdirSync(join(folder, workspace))) linkOwn(modules, folder, join(workspace, name));
  }
}

function linkOwn(modules, folder, path) {
  const manifest = join(folder, path, 'package.json');
  if (!existsSync(manifest)) return;
  const { name } = JSON.parse(readFileSync(manifest, 'utf8'));
  if (name.startsWith('@passwright/')) symlinkSync(join(folder, path), join(modules, name));
  // Also link packages whose version differs from the version in the root.
  const own = join(root, path, 'node_modules');
  if (existsSync(own)) symlinkSync(own, join(folder, path, 'node_modules'));
}
