/**
 * Runs the integration specs of the domain libs on a Citus cluster: a coordinator and two workers, with the tables
 * distributed by account. Skips the run if the server has no Citus extension.
 *
 * Leaves out the specs and tests of citus-exceptions.json and prints them: those that need a single server (one
 * server), those about behaviour that is different on Citus (differs), and those that still have to be fixed (open).
 * With --all, runs them too.
 *
 *   PG_BIN=<folder of its programs> npm run test:citus -- [pattern of spec files] [--all]
 *
 * TEST_CITUS_URLS makes it use a running cluster: the addresses of the coordinator and its workers, separated by
 * commas. The user must be a superuser, and the servers need the settings in soak/lib/citus.mjs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, root, runTests } from './install.mjs';
import { hasCitus, NEEDS_CITUS, startCitus } from './soak/lib/citus.mjs';

process.chdir(root);
const given = process.env.TEST_CITUS_URLS?.split(',');
if (!given && !hasCitus()) {
  console.log(`SKIPPED ${NEEDS_CITUS} Or set TEST_CITUS_URLS to the servers of a running cluster.`);
  process.exit(0);
}
install();
const [coordinator, ...workers] = given ?? (await startServers());
process.env.TEST_DATABASE_URL = coordinator;
process.env.TEST_CITUS_WORKERS = workers.join(',');
const words = process.argv.slice(2);
if (!words.includes('--all')) leaveOut(join(root, 'tools', 'citus-exceptions.json'));
const pattern = words.find((word) => !word.startsWith('--')) ?? '/libs/domain/.*\\.int-spec\\.ts$';
runTests('--', '--passWithNoTests', '--testPathPatterns', pattern);

/**
 * Starts a cluster that runs until this process ends.
 * @returns the addresses of the coordinator and of the workers
 */
async function startServers() {
  const off = ['fsync', 'synchronous_commit', 'full_page_writes'].map((name) => [name, 'off']);
  const servers = await startCitus(Object.fromEntries(off));
  process.once('exit', () => servers.forEach((server) => server.remove()));
  return servers.map(({ url }) => url);
}

function leaveOut(file) {
  for (const { spec, tests = [], state, reason } of JSON.parse(readFileSync(file, 'utf8')))
    console.log(`left out, ${state}: ${[spec, ...tests].join(' › ')}: ${reason}`);
  process.env.CITUS_EXCEPTIONS = file;
}
