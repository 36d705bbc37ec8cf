/**
 * Runs the end-to-end specs through PgBouncer in transaction mode. PgBouncer and Postgres come from Debian's packages.
 *
 *   npm run test:pgbouncer [pattern of spec files]
 */
import { tmpdir } from 'node:os';
import { install, nx, root } from './install.mjs';
import { PgBouncer } from './soak/lib/pgbouncer.mjs';
import { startCluster } from './soak/lib/postgres-cluster.mjs';

process.chdir(root);
install();
const off = ['fsync', 'synchronous_commit', 'full_page_writes'].map((name) => [name, 'off']);
const cluster = await startCluster({
  parent: tmpdir(),
  settings: { ...Object.fromEntries(off), max_connections: '300' },
});
process.once('exit', () => cluster.remove());
// Set these limits on the server, because the service cannot set them in transaction mode.
for (const limit of ['jit = off', "statement_timeout = '30s'", "idle_in_transaction_session_timeout = '60s'"])
  cluster.sql(`ALTER ROLE passwright SET ${limit}`);
// Each spec has a database of its own, which it drops.
const pooler = await PgBouncer.start(cluster, 'transaction', { max_client_conn: 1000, server_idle_timeout: 5 });
process.once('exit', () => void pooler.stop());
process.env.TEST_DATABASE_URL = cluster.url;
process.env.TEST_POOLER_PORT = String(pooler.port);
const pattern = process.argv[2] ?? '\\.e2e-spec\\.ts$';
nx('run', 'api:test', '--outputStyle=static', '--', '--passWithNoTests', '--testPathPatterns', pattern);
