// npm run operator -- accounts list: build what has changed, then the operator's command line.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build, install, root } from './install.mjs';

// Standard output is the answer's alone, which programs read.
console.log = console.error;
process.chdir(root);
install();
build();

const script = join(root, 'apps', 'api', 'dist', 'operator.js');
const { status } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
