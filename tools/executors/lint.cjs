/**
 * Runs ESLint for Nx. Nx decides which projects need linting. There is a process for each core, which lints a share of
 * the projects, with as few `ts.Program` as possible (programs.cjs).
 */
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const { configurationOf } = require('./programs.cjs');

module.exports = { runOne, runMany };

async function runOne(options, { projectName, projectsConfigurations, root }) {
  const [outcome] = await lint(root, [{ ...options, folder: projectsConfigurations.projects[projectName].root }]);
  process.stdout.write(outcome.terminalOutput);
  return { success: outcome.success };
}

/**
 * Lints several projects.
 * @returns the results by task id, which Nx stores
 */
async function runMany({ tasks }, inputs, _overrides, { root }) {
  const startTime = Date.now();
  const projects = Object.entries(tasks).map(([id, { projectRoot }]) => ({ ...inputs[id], id, folder: projectRoot }));
  const shares = sharesOf(root, projects);
  const outcomes = (await Promise.all(shares.map((share) => lint(root, share)))).flat();
  const endTime = Date.now();
  for (const { terminalOutput } of outcomes) process.stdout.write(terminalOutput);
  return Object.fromEntries(shares.flat().map(({ id }, at) => [id, { ...outcomes[at], startTime, endTime }]));
}

/** Distributes the projects so that each process gets about the same number of files. */
function sharesOf(root, projects) {
  const shares = Array.from({ length: availableParallelism() }, () => ({ projects: [], files: 0 }));
  const sized = projects.map((project) => [project, configurationOf(join(root, project.folder)).fileNames.length]);
  for (const [project, files] of sized.sort(([, a], [, b]) => b - a)) {
    const smallest = shares.reduce((least, share) => (share.files < least.files ? share : least));
    smallest.projects.push(project);
    smallest.files += files;
  }
  return shares.map((share) => share.projects).filter((share) => share.length > 0);
}

/**
 * Lints a share of the projects in a separate process.
 * @returns the outcomes, in the order of the projects
 */
async function lint(root, share) {
  // The types of all projects need more memory than Node's default limit.
  const child = fork(join(__dirname, 'lint-share.cjs'), { cwd: root, execArgv: ['--max-old-space-size=6144'] });
  child.send(share);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`ESLint's process ended with ${code}`)));
  const [outcomes] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  child.disconnect();
  return outcomes;
}
