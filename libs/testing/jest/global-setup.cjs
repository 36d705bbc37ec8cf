const { readdirSync } = require('node:fs');

/**
 * Starts the test server once per run, if a selected spec needs a database. `testDatabase()` finds the server by
 * environment variables.
 */
module.exports = async ({ projects, testPathPatterns }, { rootDir }) => {
  enlargeYoungGeneration();
  const folders = projects.length > 0 ? projects.map((project) => project.rootDir ?? project) : [rootDir];
  if (!folders.some((folder) => needsDatabase(folder, testPathPatterns))) return;
  require('./typescript-sources.cjs');
  const { newServerFolder } = require('../src/server-folders.ts');
  const { startTestServer } = require('../src/test-server.ts');
  const { TEST_DATABASE_URL, DATABASE_URL, PARTITIONS, SCHEMA, TEST_CITUS_WORKERS = '' } = process.env;
  const server = await startTestServer(
    TEST_DATABASE_URL ?? DATABASE_URL,
    Number(PARTITIONS ?? 0),
    SCHEMA ?? null,
    TEST_CITUS_WORKERS.split(',').filter(Boolean),
  );
  process.env.PASSWRIGHT_TEST_SERVER = server.adminUrl;
  process.env.PASSWRIGHT_TEST_TEMPLATE = server.template;
  // The specs share this folder, which global-teardown.cjs removes.
  process.env.PASSWRIGHT_TEST_FOLDER = await newServerFolder();
  globalThis[Symbol.for('passwright.test-server')] = server;
};

/**
 * Enlarges the young generation of the workers, which Jest starts later with the arguments of this process. With the
 * default of 16 MB, a sixth of the processor time went into copying live objects.
 */
function enlargeYoungGeneration() {
  if (!process.execArgv.some((argument) => argument.startsWith('--max-semi-space-size'))) {
    process.execArgv.push('--min-semi-space-size=16', '--max-semi-space-size=64');
  }
}

function needsDatabase(rootDir, testPathPatterns) {
  const wanted = testPathPatterns.patterns.map((pattern) => new RegExp(pattern, 'i'));
  return specFiles(rootDir).some((path) => wanted.length === 0 || wanted.some((pattern) => pattern.test(path)));
}

function specFiles(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = `${dir}/${entry.name}`;
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : specFiles(path);
    return /\.(int|e2e)-spec\.ts$/.test(entry.name) ? [path] : [];
  });
}
