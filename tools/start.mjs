// npm start: installs what is missing, checks the configuration, builds what has changed, and serves.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { build, check, install, isRelease, root } from './install.mjs';

process.chdir(root);
install({ servesOnly: isRelease });
check();
build();

const service = fork(join(root, 'apps', 'api', 'dist', 'main.js'), {
  // Requests create much short-lived data, and more space for it means less copying.
  execArgv: ['--max-semi-space-size=64'],
  // Ctrl-C reaches the whole process group of a terminal, and npm passes it on as well, but the service must get it
  // only once.
  detached: process.platform !== 'win32',
});
let passedOn = 0;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.on(signal, () => {
    if (Date.now() - passedOn > 1000) service.kill(signal);
    passedOn = Date.now();
  });
}
service.once('exit', (code) => process.exit(code ?? 1));
