import { cpSync, existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentOf } from '../node-versions.mjs';
import { bunRuntime } from '../package-managers.mjs';
import { apps, nameOf, reasonNotToRun } from './combinations.mjs';
import { writeEveryPackage } from './every-package.mjs';

const root = join(import.meta.dirname, '../..');

/**
 * Installs an app once. For each of its module systems, builds it once and runs its checks on each version of Node.
 * @param {any} group the combinations for the app
 * @param {any} context `temp`, `tarballs`, `managers`, `nodes` and `environmentFor(app)`
 * @returns {Promise<any[]>} a row for each module system: the seconds of each step, 'failed', or the reason why it
 * cannot run
 */
export async function runApp(group, context) {
  const folder = join(context.temp, nameOf(group).replaceAll(/[^\w]+/g, '-'));
  copyApp(group, folder, context);
  const rows = [];
  for (const module of group.modules) rows.push(await rowOf({ ...group, module }, folder, context));
  rmSync(folder, { recursive: true, force: true });
  return rows;
}

function copyApp({ app, nest, manager }, folder, { tarballs }) {
  if (app === 'every-package') writeEveryPackage(folder, { tarballs, nest, compilesAll: manager === 'npm' });
  else {
    const examples = join(root, 'examples', app);
    cpSync(existsSync(examples) ? examples : join(root, 'tools/installed', app), folder, {
      recursive: true,
      filter: (path) => !/node_modules|dist/.test(path.slice(root.length)),
    });
  }
  if (nest === 12) changeManifest(folder, useNest12);
}

async function rowOf(each, folder, context) {
  const { manager, module, app } = each;
  const { managers, tarballs, nodes } = context;
  const row = { ...each, name: nameOf(each), install: null, types: null, nodes: {} };
  if (module) changeManifest(folder, (manifest) => (manifest.type = module));
  changeManifest(folder, ({ scripts }) => (scripts.installed = checkOf(scripts, manager)));
  row.install = await timed(`${row.name}: installation`, async () => {
    const { stdout, stderr } = await managers.install(manager, folder);
    rejectWarnings(`${stdout}\n${stderr}`);
    for (const dependency of tarballs.keys()) requirePacked(join(folder, 'node_modules', dependency), manager);
  });
  if (row.install === 'failed') return row;
  if (apps[app].nest) {
    row.types = await timed(`${row.name}: types`, () => managers.runScript(manager, folder, 'build'));
    if (row.types === 'failed') return row;
  }
  for (const { major, version, program } of nodes) {
    row.nodes[major] =
      reasonNotToRun(each, major) ??
      (await timed(`${row.name}: Node ${version}`, async () => {
        const environment = await context.environmentFor(app);
        const { stdout } = await managers.runScript(manager, folder, 'installed', {
          ...environment,
          ...environmentOf(program),
        });
        const [ran, ...output] = stdout.trim().split('\n');
        if (manager !== bunRuntime && ran !== `v${version}`)
          throw new Error(`ran on Node ${ran} instead of ${version}`);
        console.log(output.map((line) => `  ${line}`).join('\n'));
      }));
  }
  return row;
}

/** Returns the command that runs on each version of Node, and first prints the version. */
function checkOf({ check, test }, manager) {
  return manager === bunRuntime ? test : `node --version && ${check ?? test}`;
}

/**
 * Runs a step.
 * @returns its seconds, or 'failed', so that the other combinations can still run
 */
async function timed(name, work) {
  const from = Date.now();
  try {
    await work();
  } catch (error) {
    console.log(`${name}: failed`);
    console.error(error.stdout ?? '', error.stderr ?? '', error.stdout === undefined ? error : error.message);
    return 'failed';
  }
  const seconds = (Date.now() - from) / 1000;
  console.log(`${name}: ${seconds.toFixed(1)} s`);
  return seconds;
}

/** @throws Error if an installation warns about one of our packages */
function rejectWarnings(output) {
  const warnings = output
    .split('\n')
    .filter((line) => /warn|unmet|missing peer|YN0002|YN0060|deprecated/i.test(line) && line.includes('@passwright/'));
  if (warnings.length > 0) throw new Error(`the installation warns:\n${warnings.join('\n')}`);
}

function requirePacked(folder, manager) {
  if (!existsSync(folder)) return;
  // pnpm also creates symbolic links, to packages in its store.
  if ((manager === 'npm' && lstatSync(folder).isSymbolicLink()) || existsSync(join(folder, 'src'))) {
    throw new Error(`${folder} is not from a tarball`);
  }
}

function changeManifest(folder, change) {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  change(manifest);
  writeFileSync(path, JSON.stringify(manifest, null, 2));
}

function useNest12(manifest) {
  for (const dependency of Object.keys(manifest.dependencies)) {
    if (dependency.startsWith('@nestjs/')) manifest.dependencies[dependency] = '^12.0.0';
  }
}
