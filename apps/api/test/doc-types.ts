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
  // A reader's JavaScript names no types.
  noImplicitAny: false,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  esModuleInterop: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What the compiler has against snippets, each as a module of its own in the workspace; `with` is its beginning. */
export function typeFaults(snippets: readonly Snippet[]): string[] {
  const sources = new Map(
    snippets.map((snippet) => [fileOf(snippet), `${snippet.marks.get('with') ?? ''}${padded(snippet)}`]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const source = sources.get(file);
    if (source === undefined) return getSourceFile(file, languageVersion, ...rest);
    return ts.createSourceFile(file, source, languageVersion);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()]
    .map((file) => program.getSourceFile(file))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map(sentence);
}

/** Beside the specs, from where every package is found; of the same lines as the document. */
const fileOf = ({ document, line }: Snippet) =>
  join(root, 'apps/api/test', `${document.replaceAll('/', '+')}-${line}.ts`);
const padded = ({ line, text }: Snippet) => '\n'.repeat(line) + text;

function sentence({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
  const name = file?.fileName
    .split('/')
    .at(-1)
    ?.replace(/-\d+\.ts$/, '')
    .replaceAll('+', '/');
  return `${name}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
