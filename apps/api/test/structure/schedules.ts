import ts from 'typescript';

import type { SourceFile } from './sources.js';

/** Lists the `@Scheduled` methods outside of `*.cron.ts` files, as `path: ClassName.method`. */
export function scheduledOutsideCron(files: readonly Pick<SourceFile, 'path' | 'text'>[]): string[] {
  return files
    .filter(({ path, text }) => !path.endsWith('.cron.ts') && text.includes('@Scheduled'))
    .flatMap(({ path, text }) => scheduledMethods(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)));
}

function scheduledMethods(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isMethodDeclaration(node) && isScheduled(node, source)) {
      const owner = ts.isClassLike(node.parent) && node.parent.name ? node.parent.name.text : 'a class without a name';
      found.push(`${source.fileName}: ${owner}.${node.name.getText(source)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isScheduled(method: ts.MethodDeclaration, source: ts.SourceFile): boolean {
  return (ts.getDecorators(method) ?? []).some(({ expression }) => expression.getText(source).startsWith('Scheduled('));
}
