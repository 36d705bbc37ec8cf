// Lints the projects that a message from the parent process contains, and sends back the outcome of each.
const { ESLint } = require('eslint');
const { programsOf } = require('./programs.cjs');

/** The files to which rules with type information apply (eslint.config.mjs). */
const typed = ['**/*.ts', '**/*.tsx', 'tools/**/*.mjs', 'tools/**/*.cjs'];

process.once('message', async (/** @type {{ folder: string, files?: string[], fix?: boolean }[]} */ share) => {
  const root = process.cwd();
  const programs = programsOf(
    root,
    share.map(({ folder }) => folder),
  );
  const outcomes = [];
  for (const { folder, files = [], fix = false } of share) {
    const { program } = programs.find((each) => each.files.has(folder));
    const languageOptions = { parserOptions: { programs: [program], project: null } };
    const eslint = new ESLint({ cwd: root, fix, overrideConfig: { files: typed, languageOptions } });
    outcomes.push(await outcome(eslint, [folder, ...files], fix));
  }
  process.send(outcomes);
});

async function outcome(eslint, patterns, fix) {
  const results = await eslint.lintFiles(patterns);
  if (fix) await ESLint.outputFixes(results);
  const formatter = await eslint.loadFormatter('stylish');
  return {
    success: results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0),
    terminalOutput: await formatter.format(results),
  };
}
