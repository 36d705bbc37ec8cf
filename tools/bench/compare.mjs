/**
 * Compares two checkouts of the service, such as main and a branch. Each has a database of its own, and they take turns
 * under load in short slices. For each kind of request, prints the requests per second of both, the ratio of these
 * rates, and the ratio of CPU per request. The ratios are medians over the rounds. CPU is that of the service and of
 * its Postgres.
 *
 *   npm run build (in both checkouts)
 *   node tools/bench/compare.mjs <other checkout> [rounds, default 7] [seconds of a slice, default 3] [start of a row's name]
 */
import { resolve } from 'node:path';
import { hotRoutes } from './hot-routes.mjs';
import { loadedBy, median } from './load.mjs';
import { machine, withServers } from './servers.mjs';

const other = resolve(process.argv[2] ?? '.');
const rounds = Number(process.argv[3] ?? 7);
const seconds = Number(process.argv[4] ?? 3);
const wanted = process.argv[5] ?? '';

await withServers(async (servers) => {
  const [before, after] = [
    await hotRoutes(servers, { seconds, checkout: other }),
    await hotRoutes(servers, { seconds }),
  ];
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const name of before.names.filter((row) => row.startsWith(wanted))) {
      // Alternate the order, because the machine may be warmer during the second of two slices.
      const order = round % 2 === 0 ? [before, after] : [after, before];
      const slices = new Map();
      for (const each of order) slices.set(each, await each.measure(name));
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push({ before: slices.get(before), after: slices.get(after) });
    }
  }
  report(results);
});

function report(results) {
  console.log(`\n${machine}, ${loadedBy}, ${rounds} rounds; «before» is ${other}\n`);
  console.log(`${''.padEnd(26)}before/s   after/s   rate   CPU before   after   ratio (quartiles)    CPU of Postgres`);
  for (const [name, pairs] of Object.entries(results)) {
    const of = (when, figure) => median(pairs.map((pair) => pair[when][figure]));
    const ratios = (figure) =>
      pairs.map(({ before, after }) => after[figure] / before[figure]).toSorted((a, b) => a - b);
    const at = (figure, part) => {
      const ratio = ratios(figure)[Math.floor((pairs.length - 1) * part)];
      // A request without SQL takes no CPU of Postgres, so there is no ratio.
      return Number.isNaN(ratio) ? 'none' : ratio.toFixed(2);
    };
    console.log(
      `${name.padEnd(26)}${of('before', 'rate').toFixed(0).padStart(8)}${of('after', 'rate').toFixed(0).padStart(10)}   ${at('rate', 0.5)}   ${of('before', 'cpu').toFixed(3).padStart(10)}   ${of('after', 'cpu').toFixed(3)}   ${at('cpu', 0.5)} (${at('cpu', 0.25)} to ${at('cpu', 0.75)})   ${at('databaseCpu', 0.5)}`,
    );
  }
}
