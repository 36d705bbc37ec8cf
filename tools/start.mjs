// npm start: installs what is missing, checks the configuration, builds what has changed, and serves.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { build, check, install, isRelease, root } from './install.mjs';

process.chdir(root);
install({ servesOnly: isRelease });
check();
build();

const service = fork(join(root, 'apps', 'api', 'dist', 'main.js'), {
  // Give new objects more memory. Requests create many short-lived objects, which are then copied less often.
  execArgv: ['--max-semi-space-size=64'],
  // Start the service in another process group. Otherwise, Ctrl-C would reach it twice: from the terminal and from npm.
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
