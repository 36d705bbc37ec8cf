/**
 * Runs the integration specs of the domain on a Citus cluster: a coordinator and two workers, with the tables distributed
 * by account. Skips without a server that has the extension.
 *
 *   PG_BIN=<folder of its programs> npm run test:citus [pattern of spec files]
 */
import { install, root, runTests } from './install.mjs';
import { hasCitus, NEEDS_CITUS, startCitus } from './soak/lib/citus.mjs';

process.chdir(root);
if (!hasCitus()) {
  console.log(`SKIPPED ${NEEDS_CITUS}`);
  process.exit(0);
}
install();
const off = ['fsync', 'synchronous_commit', 'full_page_writes'].map((name) => [name, 'off']);
const servers = await startCitus(Object.fromEntries(off));
process.once('exit', () => servers.forEach((server) => server.remove()));
const [coordinator, ...workers] = servers.map(({ url }) => url);
process.env.TEST_DATABASE_URL = coordinator;
process.env.TEST_CITUS_WORKERS = workers.join(',');
const pattern = process.argv[2] ?? '/libs/domain/.*\\.int-spec\\.ts$';
runTests('--', '--passWithNoTests', '--testPathPatterns', pattern);
