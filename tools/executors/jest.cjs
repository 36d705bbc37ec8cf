/**
 * Runs tests for Nx. Nx decides which projects need testing. One run of Jest tests all of them, so that its workers
 * load packages and sources only once, and one Postgres serves all projects. Nx stores the result of each project
 * separately.
 */
const { join, sep } = require('node:path');
const { runCLI } = require('jest');

// Set the variable that Jest's own command line sets.
process.env.NODE_ENV ??= 'test';

module.exports = { runOne, runMany };

async function runOne(options, { projectName, projectsConfigurations, root }) {
  const outcomes = await run(root, [projectsConfigurations.projects[projectName].root], options);
  return { success: outcomes[0].success };
}

/**
 * Tests several projects.
 * @returns the results by task id, which Nx stores
 */
async function runMany({ tasks }, inputs, overrides, { root }) {
  const ids = Object.keys(tasks);
  const startTime = Date.now();
  const outcomes = await run(
    root,
    ids.map((id) => tasks[id].projectRoot),
    inputs[ids[0]],
  );
  const endTime = Date.now();
  return Object.fromEntries(ids.map((id, at) => [id, { ...outcomes[at], startTime, endTime }]));
}

/**
 * Runs Jest once.
 * @param folders the folders of the projects, relative to the root; the results have the same order
 */
async function run(root, folders, options) {
  const { default: config } = await import(join(root, 'jest.config.mjs'));
  const { maxWorkers, workerIdleMemoryLimit, testTimeout, ...project } = config;
  const projects = folders.map((folder) => ({ ...project, rootDir: join(root, folder), displayName: folder }));
  const testPathPatterns = [options.testPathPatterns ?? []].flat();
  const ofTheRun = {
    maxWorkers,
    workerIdleMemoryLimit,
    testTimeout,
    ...options,
    testPathPatterns,
    passWithNoTests: true,
  };
  const argv = { $0: 'jest', _: [], ...ofTheRun, config: JSON.stringify({ projects }) };
  const { results } = await runCLI(argv, [root]);
  return folders.map((folder) => outcome(folder, join(root, folder) + sep, results, options.passWithNoTests));
}

function outcome(folder, dir, { testResults, wasInterrupted }, passWithNoTests = false) {
  const files = testResults.filter(({ testFilePath }) => testFilePath.startsWith(dir));
  const failed = files.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError);
  const lines = files.map(
    (file) => `${failed.includes(file) ? 'FAIL' : 'PASS'} ${file.testFilePath.slice(dir.length)}`,
  );
  if (files.length === 0) lines.push(`${folder}: no tests found`);
  return {
    success: !wasInterrupted && failed.length === 0 && (files.length > 0 || passWithNoTests),
    terminalOutput: `${lines.join('\n')}\n`,
  };
}
