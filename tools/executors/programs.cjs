/**
 * Creates TypeScript's programs (`ts.Program`) for many projects. Libs and apps have the same compiler options. So one
 * program can serve all of them, and reads the types of packages and shared sources only once.
 */
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const ts = require('typescript');

module.exports = { configurationOf, programsOf };

/**
 * Creates one program for all projects with equal compiler options.
 * @param {string} root
 * @param {string[]} folders the folders of the projects, relative to the root
 * @returns the programs, each with the files of its projects by folder
 */
function programsOf(root, folders) {
  /** @type {Map<string, { options: ts.CompilerOptions, files: Map<string, string[]> }>} */
  const groups = new Map();
  for (const folder of folders) {
    const { fileNames, options } = configurationOf(join(root, folder));
    const key = JSON.stringify({ ...options, configFilePath: '' });
    const group = groups.get(key) ?? { options, files: new Map() };
    groups.set(key, group);
    group.files.set(folder, fileNames);
  }
  return [...groups.values()].map(({ options, files }) => ({
    files,
    program: ts.createProgram([...files.values()].flat(), options),
  }));
}

/**
 * Reads the TypeScript configuration that includes a project's specs, or else its only configuration.
 * @param {string} folder
 */
function configurationOf(folder) {
  const path = ['tsconfig.spec.json', 'tsconfig.json']
    .map((name) => join(folder, name))
    .find((name) => existsSync(name));
  const { config, error } = ts.readConfigFile(path, ts.sys.readFile);
  const read = ts.parseJsonConfigFileContent(config, ts.sys, folder, undefined, path);
  const [problem] = [error, ...read.errors].filter(Boolean);
  if (problem) throw new Error(`${path}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  return read;
}
