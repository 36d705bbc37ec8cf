/**
 * Runs specs on other versions of Node. By default, these are the specs whose result depends on the version: request
 * bodies, the errors of every route, signatures, packages, pages, the client, and an app from end to end. `--all` runs
 * the whole suite.
 *
 *   npm run test:nodes [-- [--all] [versions of Node, default 22 24 26]]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config from '../jest.config.mjs';
import { root } from './install.mjs';
import { environmentOf, installNode, newerNodes } from './node-versions.mjs';

const isWhole = process.argv.includes('--all');
const given = process.argv.slice(2).filter((word) => word !== '--all');
const versions = given.length > 0 ? given : newerNodes;
/** The patterns of spec files, by project. */
const specs = {
  'libs/rendering/wallet-renderers': ['apple/', 'web/'],
  'libs/providers/signer': ['.'],
  'libs/platform/http': ['bodies', 'body-reader', 'request', 'routes'],
  'libs/clients/client': ['.'],
  'apps/api': ['e2e/guest', 'e2e/errors-by-route'],
};
const jest = join(root, 'node_modules/jest/bin/jest.js');
const { maxWorkers, workerIdleMemoryLimit, testTimeout, ...project } = config;
const ofTheRun = Object.entries({ maxWorkers, workerIdleMemoryLimit, testTimeout }).map(
  ([name, value]) => `--${name}=${value}`,
);
const projects = Object.keys(specs).map((folder) => ({
  ...project,
  rootDir: join(root, folder),
  displayName: folder,
}));
// Use one run for all projects, so that its workers load packages only once, and one Postgres serves all.
const patterns = Object.entries(specs).flatMap(([folder, parts]) => parts.map((part) => `${folder}/.*${part}`));
const jestArguments = [jest, '--config', JSON.stringify({ projects })];
if (!isWhole) requireSpecs();
const dir = mkdtempSync(join(tmpdir(), 'passwright-nodes-'));
// If root runs the tests, some programs run as another user, who must be able to read this folder.
chmodSync(dir, 0o755);

try {
  for (const version of versions) test(version, installNode(version, dir));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function test(version, node) {
  if (isWhole) return run(node, [join(root, 'tools/test.mjs')], environmentOf(node));
  console.log(`Node ${version}`);
  run(node, [...jestArguments, ...ofTheRun, '--silent', ...patterns]);
}

/** Checks that each pattern matches a file, because Jest fails only if no pattern does. */
function requireSpecs() {
  const listed = execFileSync(process.execPath, [...jestArguments, '--listTests', ...patterns], { encoding: 'utf8' });
  const files = listed.split('\n');
  const unmatched = patterns.filter((pattern) => !files.some((file) => new RegExp(pattern, 'i').test(file)));
  if (unmatched.length > 0) throw new Error(`No spec file matches ${unmatched.join(' or ')}.`);
}

function run(command, args, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
