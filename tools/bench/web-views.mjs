/**
 * Benchmarks web views: random pages of many passes, and unchanged pages (304), which an open page requests every 15
 * seconds. Compares them with a minimal response of the framework («hello»), with and without one round trip to the
 * database. The variants take turns under load.
 *
 *   npm run build && node tools/bench/web-views.mjs [rounds, default 3] [passes, default 500] [seconds of a slice, default 4]
 */
import { loadedBy, median, race } from './load.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const rounds = Number(process.argv[2] ?? 3);
const passes = Number(process.argv[3] ?? 500);
const seconds = Number(process.argv[4] ?? 4);
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const reader = { Accept: 'text/html', 'Accept-Language': 'en', 'User-Agent': phone };

await withServers(async (servers) => {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const ours = await servers.startService({ DATABASE_URL: database.url });
  const hello = await servers.start('hello-server.mjs', { DATABASE_URL: database.url });
  const { pages, bytes } = await issue(ours);
  const unchanged = pages.map(({ path, etag }) => ({ path, headers: { ...reader, 'If-None-Match': etag } }));
  const contenders = {
    hello: [hello, { path: '/' }],
    one: [hello, { path: '/one' }],
    page: [ours, pages.map(({ path }) => ({ path, headers: reader }))],
    unchanged: [ours, unchanged],
  };
  const results = await race(contenders, rounds, seconds);
  report(results, bytes);
});

/** Issues passes, and requests the page of each once. */
async function issue(ours) {
  const account = await openAccount(ours);
  await saveTemplate(account, ours.url, 'offer', 'Benchmark');
  const pages = [];
  let bytes = 0;
  for (let n = 0; n < passes; n += 1) {
    const { webUrl } = await account.call('POST', '/v1/pass/offer', {});
    const response = await fetch(webUrl, { headers: reader });
    const html = await response.text();
    if (!html.includes('Benchmark')) throw new Error(`${webUrl} shows no pass`);
    bytes = html.length;
    pages.push({ path: new URL(webUrl).pathname, etag: response.headers.get('etag') });
  }
  return { pages, bytes };
}

function report(results, bytes) {
  const of = (name, figure) => median(results[name].map((slice) => slice[figure]));
  console.log(
    `\n${machine}, ${loadedBy}, ${passes} passes of ${(bytes / 1024).toFixed(0)} KB, medians of ${rounds} rounds; the load comes from this machine too\n`,
  );
  for (const [label, name] of [
    ['NestJS on Express, «hello»', 'hello'],
    ['the same with one SELECT 1', 'one'],
    ['web view', 'page'],
    ['web view, 304', 'unchanged'],
  ]) {
    console.log(
      `  ${label.padEnd(32)}${of(name, 'rate').toFixed(0).padStart(7)}/s   p50 ${of(name, 'p50').toFixed(1).padStart(5)} ms   p99 ${of(name, 'p99').toFixed(1).padStart(6)} ms   CPU ${of(name, 'cpu').toFixed(3).padStart(6)} ms   ${(of(name, 'rate') / of('hello', 'rate')).toFixed(2)} of «hello»`,
    );
  }
  console.log('');
}
