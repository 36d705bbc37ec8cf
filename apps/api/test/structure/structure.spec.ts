import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { circles } from './circles.js';
import { foreignTables } from './foreign-tables.js';
import { largeModules } from './modules.js';
import { publicSurface } from './public-surface.js';
import { injectablesWithoutRole } from './roles.js';
import { scheduledOutsideCron } from './schedules.js';
import { allFiles, sourceFiles, type SourceFile } from './sources.js';

const files = sourceFiles();
const everyFile = allFiles();
const announced = join(__dirname, 'public-surface.json');

describe('the structure of libs and apps', () => {
  it('no files import one another in a circle: sources, specs, fixtures, test support and tools', () => {
    expect(circles(new Map(everyFile.map(({ path, imports }) => [path, new Set(imports)])))).toEqual([]);
  });

  it('the folders of a lib or an app have no import circle', () => {
    expect(circles(folderImports(files))).toEqual([]);
  });

  it('fixtures, test support and tools add no import circle between folders', () => {
    // The specs of a folder may use fixtures from all folders of the lib.
    expect(circles(folderImports(everyFile.filter(({ path }) => !/spec\.tsx?$/.test(path))))).toEqual([]);
  });

  it('the sources have no SQL outside of the lib that owns its table', () => {
    expect(foreignTables(files)).toEqual([]);
  });

  it('only queue-tables.ts names the private tables of the job queue', () => {
    const naming = sourceFiles().filter(({ text }) => text.includes('_private_'));
    expect(naming.map(({ path }) => path)).toEqual([
      // Specs of every lib use this file, so it must not import a lib.
      'libs/testing/src/jobs-idle.ts',
      'libs/platform/database/src/schema/queue-tables.ts',
    ]);
  });

  it('the file name of every injectable contains its role', () => {
    expect(injectablesWithoutRole(files)).toEqual([]);
  });

  it('only *.cron.ts files have methods that run on a schedule', () => {
    expect(scheduledOutsideCron(files)).toEqual([]);
  });

  it('no folder has more than 25 source files', () => {
    expect(foldersOver(25)).toEqual([]);
  });

  it('no lib or app has more than 15% of all lines', () => {
    expect(projectsOver(0.15)).toEqual([]);
  });

  it('no module has more than 20 providers', () => {
    expect(largeModules(files)).toEqual([]);
  });

  it('each package exports the names in public-surface.json', () => {
    const surface = publicSurface();
    if (process.env.UPDATE_STRUCTURE) writeFileSync(announced, `${JSON.stringify(surface, null, 2)}\n`);
    expect(surface).toEqual(JSON.parse(readFileSync(announced, 'utf8')));
  });
});

/**
 * Returns the folders that each folder imports. Files directly in src and in tools belong to no folder, so each folder
 * that imports them also gets their imports.
 */
function folderImports(from: readonly SourceFile[]): Map<string, Set<string>> {
  const byPath = new Map(from.map((file) => [file.path, file]));
  const isCombining = (path: string) => /^(apps|libs)\/.*\/src\/[^/]+$|^tools\/[^/]+$/.test(path);
  const foldersOf = (imports: string[], seen = new Set<string>()): string[] =>
    imports.flatMap((path) => {
      if (!isCombining(path)) return [dirname(path)];
      if (seen.has(path)) return [];
      return foldersOf(byPath.get(path)?.imports ?? [], seen.add(path));
    });
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of from.filter((file) => !isCombining(file.path))) {
    const folder = dirname(path);
    const targets = graph.get(folder) ?? new Set();
    for (const target of foldersOf(imports)) if (target !== folder) targets.add(target);
    graph.set(folder, targets);
  }
  return graph;
}

/** Lists the folders with more source files than this, as `folder: number`. */
function foldersOver(limit: number): string[] {
  const sizes = new Map<string, number>();
  for (const folder of files.map(({ path }) => dirname(path))) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  return [...sizes].filter(([, size]) => size > limit).map(([folder, size]) => `${folder}: ${size}`);
}

/** Lists the libs and apps with more than this share of all lines of sources, as `project: lines of all`. */
function projectsOver(share: number): string[] {
  const sizes = new Map<string, number>();
  for (const { project, text } of files) sizes.set(project, (sizes.get(project) ?? 0) + text.split('\n').length);
  const all = [...sizes.values()].reduce((sum, size) => sum + size);
  return [...sizes].filter(([, size]) => size > share * all).map(([project, size]) => `${project}: ${size} of ${all}`);
}
