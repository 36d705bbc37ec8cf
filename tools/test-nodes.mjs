/**
 * Runs specs on other versions of Node. By default, these are the specs whose result depends on the version: request
 * bodies, the errors of every route, signatures, packages, pages, the client, and an app from end to end. `--all` runs
 * the whole suite.
 *
 *   npm run test:nodes [-- [--all] [versions of Node, default 22 24 26]]
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './install.mjs';
import { environmentOf, installNode, newerNodes } from './node-versions.mjs';

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
const dir = mkdtempSync(join(tmpdir(), 'passwright-nodes-'));
// If root runs the tests, some programs run as another user, who must be able to read this folder.
chmodSync(dir, 0o755);

try {
  for (const version of versions) test(version, installNode(version, dir));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function test(version, node) {
  if (process.argv.includes('--all')) return run(node, [join(root, 'tools/test.mjs')], root, environmentOf(node));
  for (const [folder, patterns] of Object.entries(specs)) {
    console.log(`Node ${version}: ${folder}`);
    run(node, [jest, '-c', join(root, 'jest.config.mjs'), '--silent', ...patterns], join(root, folder));
  }
}

function run(command, args, cwd, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
