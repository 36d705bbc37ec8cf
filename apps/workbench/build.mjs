// Bundles the workbench into dist: one script, one style sheet, their licences, and a list of these files for the
// service. Each file is replaced as a whole, and the list is written last, so a running service never finds an
// incomplete file.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const dist = join(root, 'dist');

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { workbench: 'src/main.tsx', style: 'src/style.css' },
  outdir: 'dist',
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome111', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  conditions: ['@passwright/source'],
  legalComments: 'none',
  banner: { js: '/*! Licences: licences.txt */' },
  write: false,
});

mkdirSync(dist, { recursive: true });
for (const { path, contents } of outputFiles) replace(basename(path), contents);
const names = outputFiles.map(({ path }) => basename(path));
const ending = (suffix) => names.find((name) => name.endsWith(suffix));
replace('licences.txt', licences(['preact', 'fflate']));
replace('files.json', JSON.stringify({ script: ending('.js'), style: ending('.css') }));
for (const name of readdirSync(dist)) {
  if (/\.(js|css)$/.test(name) && !names.includes(name)) rmSync(join(dist, name), { force: true });
}

function replace(name, content) {
  const part = join(dist, `${name}.${process.pid}`);
  writeFileSync(part, content);
  renameSync(part, join(dist, name));
}

/** Joins the licences of packages. */
function licences(packages) {
  const { resolve } = createRequire(join(root, '..', '..', 'libs', 'clients', 'client', 'package.json'));
  return packages
    .map((name) => {
      const folder = packageFolder(resolve(name), name);
      return `${name}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
    })
    .join('\n\n');
}

function packageFolder(path, name) {
  return basename(path) === basename(name) && basename(dirname(path)) === 'node_modules'
    ? path
    : packageFolder(dirname(path), name);
}
