import { join } from 'node:path';
import ts from 'typescript';
import { root, type Snippet } from './doc-snippets.js';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  customConditions: ['@passwright/source'],
  types: ['node', 'jest'],
  strict: true,
  allowJs: true,
  checkJs: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Returns the compiler's errors for snippets. Each is a separate module in the workspace. */
export function typeProblems(snippets: readonly Snippet[]): string[] {
  const sources = new Map(snippets.map((snippet) => [fileOf(snippet), padded(snippet)]));
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const source = sources.get(file);
    if (source === undefined) return getSourceFile(file, languageVersion, ...rest);
    return ts.createSourceFile(file, source, languageVersion);
  };
  const saved = new Set(snippets.filter(({ file }) => file !== undefined).map(fileOf));
  // All errors count in TypeScript and in programs that the reader saves. In other JavaScript, only errors of syntax,
  // names and imports count.
  const isTyped = (file = '') => file.endsWith('.ts') || saved.has(file);
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()]
    .map((file) => program.getSourceFile(file))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])

    .filter(({ file, code }) => isTyped(file?.fileName) || isAboutNames(code))
    .map(sentence);
}

/** Returns true for errors of syntax, names and imports. */
const isAboutNames = (code: number) => code < 2000 || [2304, 2305, 2307, 2552, 2724].includes(code);

/**
 * Returns a file name in the folder of the specs, from which every package resolves. The file has the line numbers of
 * the document.
 */
const fileOf = ({ document, line, language }: Snippet) =>
  join(root, 'apps/api/test', `${document.replaceAll('/', '+')}-${line}.${language}`);
const padded = ({ line, text, marks }: Snippet) => givenBy(marks.get('given')) + '\n'.repeat(line) + text;

/** Declares the variables that a mark lists, such as `url: string; poolSize: number`. */
const givenBy = (names = '') =>
  names
    .split('; ')
    .filter(Boolean)
    .map((name) => `declare const ${name};`)
    .join(' ');

function sentence({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
  const name = file?.fileName
    .split('/')
    .at(-1)
    ?.replace(/-\d+\.[jt]s$/, '')
    .replaceAll('+', '/');
  return `${name}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
