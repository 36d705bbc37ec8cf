/**
 * Runs ESLint for Nx. Nx decides which projects need it. A process for each core lints its share of them, with one
 * `ts.Program` for all projects of the share (programs.cjs).
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

/** Lints several projects. @returns the result for Nx to store, by task id */
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

/** Lints a share in a process of its own. @returns the outcomes, in the order of the projects */
async function lint(root, share) {
  // Types of all projects take more memory than Node's default allows.
  const child = fork(join(__dirname, 'lint-share.cjs'), { cwd: root, execArgv: ['--max-old-space-size=6144'] });
  child.send(share);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`ESLint's process ended with ${code}`)));
  const [outcomes] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  child.disconnect();
  return outcomes;
}
