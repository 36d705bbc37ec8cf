// npm test: install what is missing, then every test: unit, integration on a real Postgres, end-to-end over HTTP.
import { install, nx, root } from './install.mjs';

process.chdir(root);
install();
// Three at a time: tests wait for clocks and servers now and then.
nx('run-many', '-t', 'test', '--parallel=3', '--outputStyle=static', ...process.argv.slice(2));
