/**
 * Runs tests for Nx. Nx decides which projects need testing; all of them are tested in one run of Jest. Its workers
 * load packages and sources once for all projects, and one Postgres serves them. Nx stores the result of each project
 * separately.
 */
const { join, sep } = require('node:path');
const { runCLI } = require('jest');

// Set the variable that Jest's own command sets.
process.env.NODE_ENV ??= 'test';

module.exports = { runOne, runMany };

async function runOne(options, { projectName, projectsConfigurations, root }) {
  const outcomes = await run(root, [projectsConfigurations.projects[projectName].root], options);
  return { success: outcomes[0].success };
}

/** Runs the tests of several projects. @returns the result for Nx to store, by task id */
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

/** Runs Jest once. @param folders the folders of the projects, from the root; results have the same order */
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
