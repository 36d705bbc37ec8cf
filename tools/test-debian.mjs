/**
 * Runs the specs of triggers, plans, counters and locks on a server that Debian has packaged. It is older than the embedded one
 * and compiles with JIT.
 *
 *   npm run test:debian [pattern of spec files]
 */
import { tmpdir } from 'node:os';
import { install, nx, root } from './install.mjs';
import { startCluster } from './soak/lib/postgres-cluster.mjs';

const specs = [
  'database/src/(database|joined-|repeated|unavailable|delete-in-batches)',
  'database/src/(migrations|partitions)/',
  'database/src/(incarnation|jobs)/(incarnations|jobs|crontab)',
  'accounts/src/(usage|invites|audit|users)/',
  'templates/src/(stored-images|image-sweeper)',
  'passes/src/(updates/(updates-plans|pass-expiry|device-marking|silent|suspect)|google/google-sync)',
  'passes/src/(devices/(updated-passes|late-commits)|passes/(pass-lists|pass-counting))',
  'memberships/src/members/member-(lists|races)',
  'webhooks/src/',
];
const projects = ['accounts', 'database', 'memberships', 'passes', 'templates', 'webhooks'];

process.chdir(root);
install();
const settings = {
  ...Object.fromEntries(['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'].map((name) => [name, 'off'])),
  max_connections: '200',
};
const cluster = await startCluster({ parent: tmpdir(), settings });
process.once('exit', () => cluster.remove());
console.log(`${cluster.sql('SELECT version()')}, jit ${cluster.sql('SHOW jit')}`);
process.env.TEST_DATABASE_URL = cluster.url;
const pattern = process.argv[2] ?? `(${specs.join('|')}).*int-spec`;
nx('run-many', '-t', 'test', '--outputStyle=static', `--projects=${projects}`, '--', '--testPathPatterns', pattern);
