import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

/** The maintained versions of Node that are newer than the version in `.nvmrc`. */
export const newerNodes = ['22', '24', '26'];
/** Every version of Node that the packages and the service support, the oldest first. */
export const maintainedNodes = ['20', ...newerNodes];

/**
 * Installs a version of Node from the npm package `node`.
 * @param {string} version
 * @param {string} folder
 * @returns the path of the program
 */
export function installNode(version, folder) {
  const target = join(folder, version);
  // Run install scripts, because the package's script installs the program for this machine.
  const args = ['install', '--prefix', target, '--ignore-scripts=false', '--no-audit', '--no-fund', `node@${version}`];
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (error ?? status !== 0) throw error ?? new Error(`npm could not install Node ${version}`);
  return join(target, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * Returns an environment whose PATH begins with this version of Node.
 * @param {string} node the path of the program
 */
export function environmentOf(node) {
  const separator = process.platform === 'win32' ? ';' : ':';
  return { PATH: `${dirname(node)}${separator}${process.env.PATH}` };
}
