/**
 * Runs the integration specs on a server from Debian's packages. This server is older than the embedded one, and
 * compiles plans with JIT. With `PARTITIONS=4`, the tables are in that many hash partitions.
 *
 *   npm run test:debian [pattern of spec files]
 */
import { tmpdir } from 'node:os';
import { install, root, runTests } from './install.mjs';
import { startCluster } from './soak/lib/postgres-cluster.mjs';

/** Leave out the specs of the embedded server, because they do not apply to another server. */
const specs = '^(?!.*/embedded-postgres/).*\\.int-spec\\.ts$';

process.chdir(root);
install();
const settings = {
  ...Object.fromEntries(['fsync', 'synchronous_commit', 'full_page_writes'].map((name) => [name, 'off'])),
  max_connections: '400',
};
const cluster = await startCluster({ parent: tmpdir(), settings });
process.once('exit', () => cluster.remove());
console.log(`${cluster.sql('SELECT version()')}, jit ${cluster.sql('SELECT pg_jit_available()')}`);
process.env.TEST_DATABASE_URL = cluster.url;
const pattern = process.argv[2] ?? specs;
runTests('--', '--passWithNoTests', '--testPathPatterns', pattern);
