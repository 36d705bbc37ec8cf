// Runs the operator's command line.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../apps/api/dist/operator.js', import.meta.url));

/**
 * Runs a command with a node's environment variables.
 * @returns its output
 * @throws Error if it fails
 */
export function operate(environment, ...words) {
  const env = { ...process.env, ...environment, LOG_LEVEL: 'warn' };
  return execFileSync(process.execPath, [program, ...words], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
