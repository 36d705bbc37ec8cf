import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { circles } from './circles.js';
import { foreignTables } from './foreign-tables.js';
import { publicSurface } from './public-surface.js';
import { injectablesWithoutRole } from './roles.js';
import { sourceFiles } from './sources.js';
import offenders from './known-offenders.json';
import announced from './public-surface.json';

const files = sourceFiles();
const found = {
  circlesOfFiles: circles(new Map(files.map(({ path, imports }) => [path, new Set(imports)]))),
  circlesOfFolders: circles(folderImports()),
  foreignTables: foreignTables(files),
  injectablesWithoutRole: injectablesWithoutRole(files),
};

// The lists may only shrink: a fixed offender must leave its list, and no new one may join it.
describe('the structure of libs and apps', () => {
  it('the sources have no new import circle between files', () => {
    expect(found.circlesOfFiles).toEqual(offenders.circlesOfFiles);
  });

  it('the sources have no new import circle between the folders of a lib', () => {
    expect(found.circlesOfFolders).toEqual(offenders.circlesOfFolders);
  });

  it('the sources have no new SQL outside of the lib that owns its table', () => {
    expect(found.foreignTables).toEqual(offenders.foreignTables);
  });

  it('the sources have no new injectable whose file name lacks a role', () => {
    expect(found.injectablesWithoutRole).toEqual(offenders.injectablesWithoutRole);
  });

  it('each package exports the names in public-surface.json', () => {
    expect(publicSurface()).toEqual(announced);
  });
});

function folderImports(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { path, project, imports } of files) {
    const folder = dirname(path);
    // Files directly in src (the module, its options, index.ts) combine the folders.
    if (folder === join(project, 'src')) continue;
    const targets = graph.get(folder) ?? new Set();
    for (const target of imports.map((name) => dirname(name))) if (target !== folder) targets.add(target);
    graph.set(folder, targets);
  }
  return graph;
}

if (process.env.UPDATE_STRUCTURE) {
  writeFileSync(join(__dirname, 'known-offenders.json'), `${JSON.stringify(found, null, 2)}\n`);
  writeFileSync(join(__dirname, 'public-surface.json'), `${JSON.stringify(publicSurface(), null, 2)}\n`);
}
