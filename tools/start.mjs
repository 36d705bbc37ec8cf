// npm start: install what is missing, build what has changed, serve.
import { createRequire } from 'node:module';
import { install, nx, root } from './install.mjs';

process.chdir(root);
install();
nx('build', 'api', '--outputStyle=static');
createRequire(import.meta.url)('../apps/api/dist/main.js');
