// Checks the types of the tools that tools/tsconfig.json includes, but not of the sources that they import.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const path = fileURLToPath(new URL('tsconfig.json', import.meta.url));
const { config } = ts.readConfigFile(path, ts.sys.readFile);
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
  config,
  ts.sys,
  fileURLToPath(new URL('.', import.meta.url)),
);
const program = ts.createProgram(fileNames, options);
const found = fileNames.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)));
const diagnostics = [...new Set([...errors, ...found])];

const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => process.cwd(), getNewLine: () => '\n' };
process.stdout.write(ts.formatDiagnostics(diagnostics, host));
process.exit(diagnostics.length > 0 ? 1 : 0);
