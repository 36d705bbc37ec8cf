/**
 * Benchmarks the request that phones send most often: GET /v1/passes/{type}/{serial}. Measures:
 *
 * - only 304 responses (the pass is unchanged), the usual case
 * - only packages, which the service builds and signs for each request
 * - a mix in which 95 % of the responses are 304, and 5 % are packages
 *
 * For comparison, also measures 304 responses of the public route …/walletA, and a minimal response of the framework
 * («hello») with and without one round trip to the database. Each round measures every variant once.
 *
 *   npm run build && node tools/bench/latest.mjs [rounds, default 3] [passes, default 500] [seconds per variant, default 4]
 */
import { loadedBy, median, race } from './load.mjs';
import { packageOf, unzip } from './package-files.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const rounds = Number(process.argv[2] ?? 3);
const passes = Number(process.argv[3] ?? 500);
const seconds = Number(process.argv[4] ?? 4);
const share = 0.95;

await withServers(async (servers) => {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const ours = await servers.startService({ DATABASE_URL: database.url });
  const hello = await servers.start('hello-server.mjs', { DATABASE_URL: database.url });
  const held = await issue(ours);
  const unchanged = held.map(({ path, headers, at }) => ({ path, headers: { ...headers, 'If-Modified-Since': at } }));
  const contenders = {
    hello: [hello, { path: '/' }],
    one: [hello, { path: '/one' }],
    public304: [ours, held.map(({ walletA, etag }) => ({ path: walletA, headers: { 'If-None-Match': etag } }))],
    latest304: [ours, unchanged],
    latest95: [ours, [...Array(Math.round(share / (1 - share))).fill(unchanged), held].flat()],
    latest200: [ours, held],
  };
  await check(ours, held[0], unchanged[0]);
  const results = await race(contenders, rounds, seconds);
  report(results);
});

/** Issues passes, and reads from each package the values that a phone sends. */
async function issue(ours) {
  const account = await openAccount(ours);
  await saveTemplate(account, ours.url, 'offer', 'Benchmark');
  const held = [];
  for (let from = 0; from < passes; from += 20) {
    const some = Array.from({ length: Math.min(20, passes - from) }, async () => {
      const { walletAUrl } = await account.call('POST', '/v1/pass/offer', {});
      const { headers } = await fetch(walletAUrl, { method: 'HEAD' });
      const json = JSON.parse((await unzip(await packageOf(walletAUrl)))['pass.json'].toString());
      return {
        path: `/v1/passes/${json.passTypeIdentifier}/${json.serialNumber}`,
        headers: { Authorization: `ApplePass ${json.authenticationToken}` },
        walletA: new URL(walletAUrl).pathname,
        at: headers.get('last-modified'),
        etag: headers.get('etag'),
      };
    });
    held.push(...(await Promise.all(some)));
  }
  return held;
}

async function check({ url }, changed, unchanged) {
  const statuses = [changed, unchanged].map(async ({ path, headers }) => (await fetch(url + path, { headers })).status);
  const responded = (await Promise.all(statuses)).join(' and ');
  if (responded !== '200 and 304') throw new Error(`returned ${responded} instead of 200 and 304`);
}

function report(results) {
  const of = (name, figure) => median(results[name].map((slice) => slice[figure]));
  const rate = (name) => of(name, 'rate');
  const line = (label, name) =>
    console.log(
      `  ${label.padEnd(42)}${rate(name).toFixed(0).padStart(7)}/s   p50 ${of(name, 'p50').toFixed(1).padStart(5)} ms   p99 ${of(name, 'p99').toFixed(1).padStart(6)} ms   CPU ${of(name, 'cpu').toFixed(3).padStart(6)} ms   ${(rate(name) / rate('hello')).toFixed(2)} of «hello»`,
    );
  console.log(
    `\n${machine}, ${loadedBy}, ${passes} passes, medians of ${rounds} rounds; the load comes from this machine too\n`,
  );
  line('NestJS on Express, «hello»', 'hello');
  line('the same with one SELECT 1', 'one');
  line('public package, 304', 'public304');
  line('latest pass, 304', 'latest304');
  line('latest pass, 304 to 95 %, packages to 5 %', 'latest95');
  line('latest pass, packages', 'latest200');
  const parts = 1 / (share / rate('latest304') + (1 - share) / rate('latest200'));
  console.log(`\n  the mixture reaches ${(rate('latest95') / parts).toFixed(2)} of what its parts alone would give\n`);
}
