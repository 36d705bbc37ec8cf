// npm start: install what is missing, build what has changed, serve.
import { createRequire } from 'node:module';
import { build, install, root } from './install.mjs';

process.chdir(root);
install();
build();
createRequire(import.meta.url)('../apps/api/dist/main.js');
