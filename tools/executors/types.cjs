/**
 * Checks types for Nx. Nx decides which projects need checking; one process checks all of them. It reports only errors
 * in a project's own files, because imported sources are checked with their own project.
 */
const ts = require('typescript');
const { programsOf } = require('./programs.cjs');

module.exports = { runOne, runMany };

async function runOne(_options, { projectName, projectsConfigurations, root }) {
  const folder = projectsConfigurations.projects[projectName].root;
  const { success, terminalOutput } = check(root, [folder]).get(folder);
  process.stdout.write(terminalOutput);
  return { success };
}

/**
 * Checks several projects.
 * @returns the results by task id, which Nx stores
 */
async function runMany({ tasks }, _inputs, _overrides, { root }) {
  const startTime = Date.now();
  const outcomes = check(
    root,
    Object.values(tasks).map(({ projectRoot }) => projectRoot),
  );
  for (const { terminalOutput } of outcomes.values()) process.stdout.write(terminalOutput);
  const times = { startTime, endTime: Date.now() };
  return Object.fromEntries(
    Object.entries(tasks).map(([id, { projectRoot }]) => [id, { ...outcomes.get(projectRoot), ...times }]),
  );
}

/** @returns the outcome of each project, by its folder */
function check(root, folders) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => '\n' };
  const outcomes = new Map();
  for (const { program, files } of programsOf(root, folders)) {
    const general = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()];
    for (const [folder, names] of files) {
      const sources = names.map((name) => program.getSourceFile(name));
      const own = sources.flatMap((source) => [
        ...program.getSyntacticDiagnostics(source),
        ...program.getSemanticDiagnostics(source),
      ]);
      const found = [...general, ...own];
      outcomes.set(folder, { success: found.length === 0, terminalOutput: ts.formatDiagnostics(found, host) });
    }
  }
  return outcomes;
}
