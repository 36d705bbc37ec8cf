import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../../../..');

/** A file of a lib, an app or the tools. */
export interface SourceFile {
  /** The path from the root of the checkout. */
  path: string;
  /** The folder of the lib or app, such as `libs/domain/passes`. */
  project: string;
  text: string;
  /** The paths of the imported files that are in the same project. */
  imports: string[];
}

/** Lists the folders of all libs and apps, as paths from the root of the checkout. */
export function projects(): string[] {
  return [...foldersIn('apps'), ...foldersIn('libs'), ...foldersIn('libs').flatMap(foldersIn)].filter((folder) =>
    existsSync(join(root, folder, 'src')),
  );
}

/** Reads every source file of libs and apps, except specs, fixtures, migrations and generated files. */
export function sourceFiles(): SourceFile[] {
  return projects()
    .flatMap((project) => filesUnder(project, 'src'))
    .filter(
      ({ path }) => /\.tsx?$/.test(path) && !/spec\.tsx?$|\.fixtures\.ts$|\/migrations\/|\/generated\//.test(path),
    );
}

/** Reads every file with code, including specs, fixtures, migrations, generated files and tools. */
export function allFiles(): SourceFile[] {
  const folders = projects().flatMap((project) => ['src', 'test', 'jest'].map((folder) => [project, folder] as const));
  return [...folders, ['tools', '.'] as const].flatMap(([project, folder]) => filesUnder(project, folder));
}

function filesUnder(project: string, folder: string): SourceFile[] {
  if (!existsSync(join(root, project, folder))) return [];
  return readdirSync(join(root, project, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(project, folder, name))
    .filter((path) => /\.(tsx?|[mc]js)$/.test(path) && !path.includes('node_modules'))
    .sort()
    .map((path) => readSource(project, path));
}

function readSource(project: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = ts
    .preProcessFile(text, true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => sourceOf(resolve(root, dirname(path), fileName)));
  return { path, project, text, imports };
}

/** Returns the source path of an imported `.js` file: the `.tsx` file if it exists, otherwise the `.ts` file. */
function sourceOf(imported: string): string {
  const component = imported.replace(/\.js$/, '.tsx');
  return relative(root, existsSync(component) ? component : imported.replace(/\.js$/, '.ts'));
}

function foldersIn(parent: string): string[] {
  return readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => join(parent, name));
}
