const { Client } = require('pg');

module.exports = { dropDatabase };

/**
 * Drops the database of a spec file. Does nothing if a client is still connected, because the end of the run drops all
 * databases.
 * @param {NodeJS.ProcessEnv} environment the variables of the spec file
 */
async function dropDatabase({ PASSWRIGHT_TEST_SERVER: server, PASSWRIGHT_TEST_DATABASE: name }) {
  if (!server || !name) return;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  try {
    const { rows } = await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [name]);
    if (rows.length === 0) await admin.query(`DROP DATABASE IF EXISTS ${name}`);
  } finally {
    await admin.end();
  }
}
