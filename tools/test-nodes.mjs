/**
 * Runs specs that depend on the version of Node with other versions: the request bodies, signatures, pictures, and an
 * app from end to end. The npm package `node` brings the versions.
 *
 *   npm run test:nodes [-- versions of Node, default 22 24]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './install.mjs';

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24'];
/** Patterns of spec files by project. */
const specs = {
  'libs/rendering/wallet-renderers': ['apple/', 'web/'],
  'libs/providers/signer': ['.'],
  'libs/platform/http': ['bodies', 'body-reader', 'request', 'routes'],
  'libs/clients/client': ['.'],
  'apps/api': ['e2e/guest'],
};
const jest = join(root, 'node_modules/jest/bin/jest.js');
const dir = mkdtempSync(join(tmpdir(), 'passwright-nodes-'));

try {
  for (const version of versions) test(version, install(version));
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** @returns the path of the program */
function install(version) {
  const folder = join(dir, version);
  // The package finds its program for this machine in an install script.
  const args = ['install', '--prefix', folder, '--ignore-scripts=false', '--no-audit', '--no-fund', `node@${version}`];
  run('npm', args, root);
  return join(folder, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

function test(version, node) {
  for (const [folder, patterns] of Object.entries(specs)) {
    console.log(`Node ${version}: ${folder}`);
    const config = join(root, 'jest.config.mjs');
    run(node, [jest, '-c', config, '--silent', ...patterns], join(root, folder));
  }
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
