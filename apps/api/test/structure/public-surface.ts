import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

import { projects } from './sources.js';

const root = resolve(__dirname, '../../../..');

/** Returns the names that each package exports, sorted. `* from …` stands for a whole file. */
export function publicSurface(): Record<string, string[]> {
  return Object.fromEntries(
    projects()
      .filter((project) => existsSync(join(root, project, 'src/index.ts')))
      .map((project) => [project.replace(/^libs\//, ''), exportedNames(join(root, project, 'src/index.ts'))]),
  );
}

function exportedNames(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements
    .filter(ts.isExportDeclaration)
    .flatMap(({ exportClause, moduleSpecifier }) => {
      if (exportClause && ts.isNamedExports(exportClause)) return exportClause.elements.map(({ name }) => name.text);
      return [`* from ${moduleSpecifier?.getText(source)}`];
    })
    .sort();
}
