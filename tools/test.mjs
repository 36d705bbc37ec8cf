// npm test: install what is missing, then every test: unit, integration on a real Postgres, end-to-end over HTTP.
import { install, nx, root } from './install.mjs';

process.chdir(root);
install();
nx('run-many', '-t', 'test', '--outputStyle=static', ...process.argv.slice(2));
