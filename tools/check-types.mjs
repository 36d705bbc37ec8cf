// Checks the types of a project's own files, but not of the sources that they import: each project checks its own.
//
//   node tools/check-types.mjs [folder of the project]
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const folder = resolve(process.argv[2] ?? '.');
const path = ['tsconfig.spec.json', 'tsconfig.json'].map((name) => join(folder, name)).find((name) => existsSync(name));
const { config, error } = ts.readConfigFile(path, ts.sys.readFile);
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder, undefined, path);
const program = ts.createProgram(fileNames, options);
const found = fileNames.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)));
const diagnostics = [...new Set([...(error ? [error] : []), ...errors, ...found])];

const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => process.cwd(), getNewLine: () => '\n' };
process.stdout.write(ts.formatDiagnostics(diagnostics, host));
process.exit(diagnostics.length > 0 ? 1 : 0);
