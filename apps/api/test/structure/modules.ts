import ts from 'typescript';

import type { SourceFile } from './sources.js';

/** The maximum number of providers that a Nest module may list. */
const mostProviders = 20;

/** Lists the Nest modules with too many providers, as `path: ModuleName has n providers`. */
export function largeModules(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter(({ path }) => path.endsWith('.module.ts'))
    .flatMap(({ path, text }) => modulesIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)))
    .filter(({ providers }) => providers > mostProviders)
    .map(({ path, name, providers }) => `${path}: ${name} has ${providers} providers`);
}

interface ModuleSize {
  readonly path: string;
  readonly name: string;
  readonly providers: number;
}

function modulesIn(source: ts.SourceFile): ModuleSize[] {
  return source.statements.filter(ts.isClassDeclaration).map((declaration) => ({
    path: source.fileName,
    name: declaration.name?.text ?? 'a class without a name',
    providers: countProviders(declaration, source),
  }));
}

/** Counts the providers in `@Module` and `forRoot`, including the options that `rootModule` provides. */
function countProviders(declaration: ts.ClassDeclaration, source: ts.SourceFile): number {
  const heritage = declaration.heritageClauses?.map((clause) => clause.getText(source)).join() ?? '';
  let count = heritage.includes('rootModule(') ? 1 : 0;
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'providers') {
      count += countElements(node.initializer, source);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return count;
}

function countElements(list: ts.Expression, source: ts.SourceFile): number {
  if (ts.isArrayLiteralExpression(list)) {
    return list.elements
      .map((element) => (ts.isSpreadElement(element) ? countElements(element.expression, source) : 1))
      .reduce((sum, count) => sum + count, 0);
  }
  const declared = ts.isIdentifier(list) && declaredList(list.text, source);
  if (declared) return countElements(declared, source);
  throw new Error(`${source.fileName}: list the providers in this file, because "${list.getText(source)}" is unknown`);
}

function declaredList(name: string, source: ts.SourceFile): ts.Expression | undefined {
  return source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((declaration) => declaration.name.getText(source) === name)?.initializer;
}
