/**
 * Compares versions of Node: runs one service with each version, on a database of its own, and measures all of them in
 * turn in short slices. Prints requests per second and CPU per request of the service with the first version. For each
 * other version, prints the ratios of both to the first version, as medians over the rounds. The load comes from wrk
 * and from this process, which has the same version throughout.
 *
 *   npm install --prefix /tmp/node22 node@22 (likewise for other versions)
 *   npm run build
 *   node tools/bench/node-versions.mjs <path of a node program>… [rounds, default 5] [seconds of a slice, default 2] [--write into docs/scaling.md]
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { writeTable } from './documented-table.mjs';
import { hotRoutes } from './hot-routes.mjs';
import { loadedBy, median } from './load.mjs';
import { withServers } from './servers.mjs';

const options = process.argv.slice(2);
const programs = options.filter((option) => !/^(\d+|--write)$/.test(option));
const [rounds = 5, seconds = 2] = options.filter((option) => /^\d+$/.test(option)).map(Number);

await withServers(async (servers) => {
  const sides = [];
  for (const node of programs) {
    const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim();
    sides.push({ version, ...(await hotRoutes(servers, { seconds, node })) });
  }
  const table = tableOf(sides, await race(sides));
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${availableParallelism()} cores (${cpus()[0].model})`;
  const conditions = `${day}, ${machine}, ${loadedBy}, medians of ${rounds} rounds.`;
  console.log(`\n${conditions}\n\n${table}`);
  if (options.includes('--write')) writeTable('node-versions', conditions, table);
});

/** @returns the results by route: a list of rounds, each with the results of all services in the order of `sides` */
async function race(sides) {
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const name of sides[0].names) {
      const slices = new Map();
      // Rotate the order, because the machine may be warmer during a later slice.
      const order = sides.map((_, index) => sides[(index + round + 1) % sides.length]);
      for (const side of order) slices.set(side, await side.measure(name));
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push(sides.map((side) => slices.get(side)));
    }
  }
  return results;
}

/** @param {any[]} sides */
function tableOf([first, ...others], results) {
  const headings = [`Node ${first.version}: per second`, 'CPU, ms'];
  for (const { version } of others) headings.push(`Node ${version}: per second`, 'CPU');
  const lines = Object.entries(results).map(([name, all]) => {
    const of = (figure) => median(all.map(([slice]) => slice[figure]));
    const ratio = (figure, index) =>
      `${median(all.map((slices) => slices[index][figure] / slices[0][figure])).toFixed(2)} ×`;
    const ratios = others.flatMap((_, index) => [ratio('rate', index + 1), ratio('cpu', index + 1)]);
    return `| ${[name, of('rate').toFixed(0), of('cpu').toFixed(2), ...ratios].join(' | ')} |`;
  });
  return [`| Route | ${headings.join(' | ')} |`, `| - |${' -: |'.repeat(headings.length)}`, ...lines].join('\n');
}
