/**
 * Builds what has changed, then runs a command line of the service:
 *
 *   npm run service:operator -- accounts list
 *   npm run service:doctor
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, install, isRelease, root } from './install.mjs';

// Print progress on stderr, because other programs may read the result on stdout.
console.log = console.error;
process.chdir(root);
install({ servesOnly: isRelease });
build();

const [name, ...words] = process.argv.slice(2);
const script = join(root, 'apps', 'api', 'dist', `${name}.js`);
const { status } = spawnSync(process.execPath, [script, ...words], { stdio: 'inherit' });
process.exit(status ?? 1);
