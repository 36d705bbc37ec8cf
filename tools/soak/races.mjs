/**
 * Sends many equal writes at once to two nodes. Only one of them may succeed, for example because they use the same
 * one-time code, or as many as a limit allows.
 *
 * Fails on:
 * - fewer or more successful calls than one, or than the limit
 * - a counter that differs from the rows
 * - a deadlock in Postgres
 * - a 5xx other than 503 with Retry-After
 *
 * With --on=NAME, the nodes run on another database engine: see lib/engines.mjs. If the engine has a standby, it takes
 * over during the middle round of each kind of write. In this round, callers repeat calls that get a 503, with the same
 * Idempotency-Key, because the service may have made the change.
 *
 *   npm run soak:races -- [rounds, default 20] [simultaneous calls, default 50] [words in the names of kinds] [--on=NAME]
 */
import { engineOf, startEngine } from './lib/engines.mjs';
import { kinds, unstored } from './lib/race-kinds.mjs';
import { Racer } from './lib/racer.mjs';
import { countStatuses, soak, within } from './lib/stage.mjs';
import { Wire } from './lib/wire.mjs';

const { name: engineName, others } = engineOf(process.argv.slice(2));
const [rounds = 20, atOnce = 50] = others.slice(0, 2).map(Number);
const wanted = others.slice(2);
const chosen = Object.entries(kinds).filter(
  ([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);

await soak(async (stage) => {
  const engine = await startEngine(stage, engineName);
  const nodes = await stage.nodes(2, { ...engine.environment, TRUST_PROXY: '1' }, { env: engine.environmentOf });
  const wire = new Wire();
  const world = { engine, nodes, wire, isRepeating: false, repeated: 0 };
  const racer = await new Racer(world).open();
  await racer.saveTemplate('card');
  await racer.saveTemplate('club', { type: 'membership', primaryLabel: 'Member' });
  await racer.call('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });

  for (const [name, begin] of chosen) {
    const { all, broken } = await race(world, name, () => begin(racer));
    const repeated = world.repeated > 0 ? `, ${world.repeated} repeated` : '';
    const verdict = `${broken.size === 0 ? 'held' : 'BROKEN'}${repeated}`;
    console.log(`${name.padEnd(42)} ${JSON.stringify(countStatuses(all))} ${verdict}`);
    stage.check(broken.size === 0, `${name}: ${[...broken].slice(0, 3).join('; ')}`);
    stage.checkResponses(
      all.map(({ status, headers }) => ({ status, retryAfter: headers['retry-after'] })),
      { noneAllowed: false },
    );
  }
  await checkCounters(stage, engine);
  const deadlocks = engine.log().match(/deadlock detected/g)?.length ?? 0;
  console.log(`${deadlocks} deadlocks`);
  stage.check(deadlocks === 0, `Postgres has seen ${deadlocks} deadlocks`);
  wire.close();
});

/**
 * Runs all rounds of one kind.
 * @returns all responses, and the problems found
 */
async function race(world, name, begin) {
  const { engine } = world;
  const all = [];
  const broken = new Set();
  world.repeated = 0;
  for (let round = 0; round < rounds; round += 1) {
    const takesOver = engine.handOver !== undefined && round === Math.floor(rounds / 2);
    // If these responses are not stored, fail over before the calls: a lost response would look like a failure.
    if (takesOver && unstored.has(name)) await engine.handOver();
    const { call, holds } = await begin();
    world.isRepeating = takesOver && !unstored.has(name);
    const calls = Array.from({ length: atOnce }, (_, n) => call(n));
    if (world.isRepeating) await engine.handOver();
    const responses = await Promise.all(calls);
    world.isRepeating = false;
    all.push(...responses);
    // A call with a 503 or 429 has changed nothing, so check only the other calls.
    const judged = responses.filter(({ status }) => status !== 503 && status !== 429);
    const problem = await holds(judged);
    // After a failover, old entity tags no longer match (docs/decisions/0012), so all calls may get 412.
    const isOutdated = takesOver && judged.every(({ status }) => status === 412);
    if (problem && !isOutdated) broken.add(problem);
  }
  return { all, broken };
}

/** Compares the counters of passes with the number of rows. */
async function checkCounters(stage, engine) {
  const sums = () =>
    engine.sql(`SELECT (SELECT coalesce(sum(created), 0) FROM pass_creation),
      (SELECT count(*) FROM pass) + (SELECT count(*) FROM deleted_pass)`);
  const isEqual = () => new Set(sums().split('|')).size === 1;
  const took = await within(20, isEqual);
  console.log(`passes counted and stored: ${sums().replace('|', ' and ')}`);
  stage.check(took !== Infinity, `counted and stored passes differ: ${sums()}`);
}
