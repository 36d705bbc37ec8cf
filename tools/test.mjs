/**
 * npm test: installs missing packages, then runs all tests: unit tests, integration tests on a real Postgres, and
 * end-to-end tests over HTTP.
 */
import { install, root, runTests } from './install.mjs';

process.chdir(root);
install();
runTests(...process.argv.slice(2));
