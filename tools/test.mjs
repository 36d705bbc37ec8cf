// npm test: installs what is missing, then runs every test: unit tests, integration tests on a real Postgres, and
// end-to-end tests over HTTP.
import { install, nx, root } from './install.mjs';

process.chdir(root);
install();
nx('run-many', '-t', 'test', '--outputStyle=static', ...process.argv.slice(2));
