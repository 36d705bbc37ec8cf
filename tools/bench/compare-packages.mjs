/**
 * Compares the CPU that two checkouts of the service take to build packages: `pass.json` with its string tables,
 * manifest, signature and zip, as `ApplePassesService` builds them. Uses only templates that both checkouts support.
 * Both run in this process and take turns in short slices. For each type of template, prints the microseconds of CPU
 * per package with each checkout. Also prints the median and the quartiles of the ratios within a round.
 *
 *   npm run build (in both checkouts)
 *   node tools/bench/compare-packages.mjs <other checkout> [rounds, default 41] [packages of a slice, default 300]
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { images, L, renderedFrom, S, signingMaterial, types } from './package-content.mjs';

const other = resolve(process.argv[2] ?? '.');
const rounds = Number(process.argv[3] ?? 41);
const count = Number(process.argv[4] ?? 300);
const allowed = 1.03;

if (!globalThis.gc) {
  const again = ['--expose-gc', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(process.execPath, again, { stdio: 'inherit' }).status ?? 1);
}

const signing = await signingMaterial();
const sides = { before: builderOf(other), after: builderOf(fileURLToPath(new URL('../..', import.meta.url))) };
const rows = [];
for (const type of types) {
  for (const [size, sizes] of Object.entries({ S, L })) rows.push(compare(type, size, await images(sizes)));
}
report();

/**
 * Returns functions that build packages with the code of a checkout. An older checkout has no string tables, and the
 * templates here need none.
 */
function builderOf(checkout) {
  const require = createRequire(join(checkout, 'package.json'));
  const renderers = require('@passwright/wallet-renderers');
  const { DetachedCms } = require('@passwright/signer');
  const cms = new DetachedCms(signing);
  const { applePassJson, localisedPass = (...from) => ({ json: applePassJson(...from), files: [] }) } = renderers;
  return (files) => {
    const layout = renderers.compilePackage(files);
    /** @param {readonly [any, any, any]} from the template, the pass and the context of a package */
    const jsonOf = ([template, pass, context]) => {
      const { json, files: tables } = localisedPass(template, pass, context);
      if (tables.length > 0) throw new Error('a template without translations has string tables');
      return JSON.stringify(json);
    };
    const build = (from) => {
      const draft = layout.draft(jsonOf(from));
      return draft.finish(cms.signSync(draft.manifest, new Date()));
    };
    // Use a fixed signature. Signing costs the same in both, but its varying time would hide small differences.
    const unsigned = Buffer.alloc(3_000);
    const buildUnsigned = (from) => layout.draft(jsonOf(from)).finish(unsigned);
    return { jsonOf, build, buildUnsigned };
  };
}

function compare(type, size, files) {
  const passes = Array.from({ length: 64 }, (_, serial) => renderedFrom(serial, type));
  const [before, after] = [sides.before(files), sides.after(files)];
  const isSame = passes.every((from) => before.jsonOf(from) === after.jsonOf(from));
  const slices = { signed: [], unsigned: [] };
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, part, times] of [
      ['signed', 'build', count],
      ['unsigned', 'buildUnsigned', count * 10],
    ]) {
      const taken = { before: 0, after: 0 };
      // Alternate the order, because the machine may be warmer during the second of two slices.
      const order = round % 2 === 0 ? ['before', 'after'] : ['after', 'before'];
      for (const side of order) taken[side] = slice({ before, after }[side][part], passes, times);
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) slices[name].push(taken);
    }
  }
  return { name: `${type}, ${size}`, isSame, ...slices };
}

/** Returns the microseconds of CPU per package. */
function slice(build, passes, times) {
  globalThis.gc();
  const begun = process.cpuUsage();
  for (let n = 0; n < times; n += 1) build(passes[n % passes.length]);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / times;
}

function report() {
  const at = (values, part) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)];
  const cells = (taken) => {
    const ratios = taken.map(({ before, after }) => after / before);
    const cpu = ['before', 'after'].map((side) =>
      at(
        taken.map((each) => each[side]),
        0.5,
      )
        .toFixed(1)
        .padStart(8),
    );
    const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => at(ratios, part).toFixed(3));
    return `${cpu.join('')}   ${middle} (${low} to ${high})`;
  };
  console.log(`Node ${process.version}, ${cpus()[0]?.model}, ${rounds} rounds; «before» is ${other}\n`);
  console.log(`CPU us per package    signed before, after   ratio (quartiles)         unsigned before, after   ratio`);
  for (const { name, isSame, signed, unsigned } of rows) {
    const ratio = at(
      signed.map(({ before, after }) => after / before),
      0.5,
    );
    const verdict = ratio <= allowed ? 'met' : 'MISSED';
    console.log(
      `${name.padEnd(18)}${cells(signed)}   ${cells(unsigned)}   <= ${allowed} ${verdict}${isSame ? '' : '; another pass.json'}`,
    );
  }
}
