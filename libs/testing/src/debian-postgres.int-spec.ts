import { connect } from './connect.js';
import { DebianPostgres, debianPrograms } from './debian-postgres.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('debian-postgres.int-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(60_000);

(isInstalled ? it : it.skip)('each copy of a migrated Debian server has our tables and only its own rows', async () => {
  const servers = [await DebianPostgres.startCopy('migrated'), await DebianPostgres.startCopy('migrated')];
  try {
    const counts: unknown[] = [];
    for (const { url } of servers) {
      const client = await connect(url, 'passwright debian test');
      const { rows } = await client.query<{ accounts: number }>('SELECT count(*)::int AS accounts FROM account');
      counts.push(...rows);
      await client.query(`INSERT INTO account (id, name, created_at) VALUES ('acc_copy', 'Copy', now())`);
      await client.end();
    }
    expect(counts).toEqual([{ accounts: 0 }, { accounts: 0 }]);
  } finally {
    for (const server of servers) server.remove();
  }
});
