/**
 * Interrupts the connections between a node and Postgres during calls of the API. Repeats each kind of call with each
 * fault, once for each byte after which the fault can happen.
 *
 * The faults:
 * - `cut`: the connection is closed
 * - `reset`: the connection is reset
 * - `terminated`: Postgres ends the connection with its own message
 * - `split`: the rest of the bytes arrives a little later, so that a message arrives in two parts
 *
 * Fails on:
 * - a successful response without its change, or with a change that was made twice
 * - a change without all of its events and jobs, whatever the response
 * - a response with the pass of another call or account
 * - a repeated call with its Idempotency-Key that fails or makes its change again
 * - a status other than 2xx and 503 with Retry-After, or any 503 after a `split`
 * - a failure of the next call after a fault
 * - a connection that stays in a transaction, or a counter that differs from the rows
 *
 *   npm run soak:cut-connections -- [bytes per direction, default 0 for all] [words in the names of kinds and faults]
 */
import pg from 'pg';
import { CutClient } from './lib/cut-client.mjs';
import { kinds } from './lib/cut-kinds.mjs';
import { CuttingProxy, faults } from './lib/cutting-proxy.mjs';
import { requireServer, soak, within } from './lib/stage.mjs';

const [count = '0', ...words] = process.argv.slice(2);
const places = Number(count);
const isWanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
/** How often an exchange is measured before it is interrupted, after the node has prepared its statements. */
const MEASURED = 3;
const PREPARED = 2;

requireServer();
await soak(async (stage) => {
  const cluster = await stage.cluster();
  const proxy = new CuttingProxy();
  const url = new URL(cluster.url);
  url.port = String(await proxy.open(cluster.port));
  stage.later(() => proxy.close());
  // A node that runs no jobs leaves them in their table, where they can be counted.
  const [node] = await stage.nodes(1, { DATABASE_URL: url.href, ROLE: 'api' });
  const database = new pg.Client({ connectionString: cluster.url });
  await database.connect();
  stage.later(() => database.end());
  const client = await CutClient.openTwo(node.url);
  const test = { stage, proxy, client, database, node };
  for (const [kind, begin] of Object.entries(kinds)) {
    const wanted = faults.filter((how) => isWanted(`${kind}, ${how}`));
    if (wanted.length === 0) continue;
    const exchange = await measure(test, begin);
    for (const how of wanted) await interrupt(test, kind, begin, how, exchange);
  }
  await checkEnd(test);
  client.close();
});

/** Returns the length of an exchange of this kind in each direction, and the ends of the server's messages. */
async function measure({ proxy, client }, begin) {
  const longest = { client: 0, server: 0, ends: [] };
  for (let n = -PREPARED; n < MEASURED; n += 1) {
    const subjects = await begin(client);
    proxy.begin();
    await Promise.all(subjects.map(({ by = client, call }) => by.send(...call)));
    const passed = proxy.end();
    if (n < 0) continue;
    if (passed.server > longest.server) longest.ends = proxy.boundaries;
    longest.client = Math.max(longest.client, passed.client);
    longest.server = Math.max(longest.server, passed.server);
  }
  return longest;
}

/** Interrupts exchanges of a kind with one fault at each place, and prints how they ended. */
async function interrupt(test, kind, begin, how, exchange) {
  const { stage } = test;
  const sides = how === 'terminated' ? ['server'] : ['client', 'server'];
  for (const side of sides) {
    const counts = { tried: 0, struck: 0 };
    const problems = new Map();
    for (const at of placesOf(exchange, side, how)) {
      const name = `${how} after ${at} bytes of the ${side}`;
      for (const problem of await attempt(test, begin, { side, at, how }, counts))
        problems.set(problem, problems.get(problem) ?? name);
      if (test.node.ended) throw new Error(`${kind}: the node has ended: ${name}`);
    }
    console.log(`${`${kind}, ${how}, ${side}`.padEnd(52)} ${JSON.stringify(counts)}`);
    for (const [problem, name] of problems) stage.check(false, `${kind}: ${problem}; first ${name}`);
  }
}

/** Returns the places at which a stream is interrupted: all, or as many random ones as wanted, spread evenly. */
function placesOf(exchange, side, how) {
  const all = how === 'terminated' ? [0, ...exchange.ends] : Array.from({ length: exchange[side] + 1 }, (_, at) => at);
  const step = places > 0 ? Math.max(1, all.length / places) : 1;
  return Array.from({ length: Math.floor(all.length / step) }, (_, n) => all[Math.floor((n + Math.random()) * step)]);
}

/** Makes the calls of one exchange, interrupts it, and repeats the calls. @returns the problems */
async function attempt({ proxy, client, database }, begin, fault, counts) {
  const problems = [];
  const subjects = await begin(client).catch((error) => {
    problems.push(`the next call fails: ${error.message}`);
    return [];
  });
  proxy.begin(fault);
  const responses = await Promise.all(subjects.map(({ by = client, call }) => by.send(...call)));
  const { hasStruck } = proxy;
  proxy.end();
  counts.tried += 1;
  if (hasStruck) counts.struck += 1;
  const isLost = hasStruck && fault.how !== 'split';
  for (const [n, subject] of subjects.entries()) {
    const response = responses[n];
    counts[response.status] = (counts[response.status] ?? 0) + 1;
    problems.push(...(await problemsOf(database, subject, response, isLost)));
    if (client.isRepeatable(subject)) {
      const again = await (subject.by ?? client).send(...subject.call);
      problems.push(...(await problemsOf(database, subject, again, false)).map((problem) => `repeated: ${problem}`));
    }
  }
  return problems;
}

/** Compares a response with what its call has done. */
async function problemsOf(database, { sql, values, lines, marker }, response, isLost) {
  const { status, headers, text } = response;
  const isGood = status >= 200 && status < 300;
  if (!isGood && !(isLost && status === 503 && headers['retry-after'])) return [`${status} ${text.slice(0, 200)}`];
  if (lines) return isGood ? problemsOfLines(database, sql, lines, text, isLost) : [];
  const { rows } = await database.query(sql, values);
  const { effects, torn } = rows[0];
  const problems = [];
  if (marker && isGood && JSON.parse(text).pass.metadata.cut !== marker) problems.push(`${status} with another pass`);
  if (isGood ? effects !== 1 : effects > 1) problems.push(`${status} with ${effects} effects`);
  if (torn > 0) problems.push(`${status} with a part of its events or jobs`);
  return problems;
}

/** Compares the lines of a batch's response with the passes. */
async function problemsOfLines(database, sql, ids, text, isLost) {
  const problems = [];
  const outcomes = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (outcomes.length !== ids.length) problems.push(`${outcomes.length} of ${ids.length} lines`);
  for (const [index, id] of ids.entries()) {
    const { rows } = await database.query(sql, [id]);
    const { effects, torn } = rows[0];
    const { statusCode = 200, code } = outcomes[index] ?? {};
    const isGood = statusCode === 200;
    if (!isGood && !(isLost && statusCode === 503)) problems.push(`a line with ${statusCode} ${code}`);
    if (isGood ? effects !== 1 : effects > 1) problems.push(`a line with ${statusCode} with ${effects} effects`);
    if (torn > 0) problems.push(`a line with ${statusCode} with a part of its events`);
  }
  return problems;
}

/** Checks the counters, and that no connection was left in a transaction. */
async function checkEnd({ stage, database, client }) {
  const first = async (sql) => Number(Object.values((await database.query(sql)).rows[0])[0]);
  const isFree = async () =>
    (await first(`SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`)) === 0;
  stage.check((await within(5, isFree)) < Infinity, 'connections are left in a transaction');
  const counted = await first('SELECT coalesce(sum(created), 0) FROM pass_creation');
  const stored = await first('SELECT count(*) FROM pass');
  console.log(`${stored} passes stored, ${counted} counted`);
  stage.check(counted === stored, `${counted} passes are counted, ${stored} stored`);
  await client.sure('POST', '/v1/pass/soak', {});
}
