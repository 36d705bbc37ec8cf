/**
 * Checks the simulations with cases that can be computed by hand. A spec of the API runs this file, and so can node
 * --test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from './event-heap.mjs';
import { simulateIssuer } from './google-simulation.mjs';
import { PushSimulation } from './push-simulation.mjs';
import { measuredCosts, readParameters, sizeOf } from './sizing.mjs';

const parameters = readParameters();
const rules = { ...parameters.apple, pushMs: 0.04, latencySeconds: 0.1, turnSeconds: 0.02, markPerSecond: 1e9 };
const simulation = (options) => new PushSimulation({ rules, processes: 1, random: seededRandom(1), ...options });
const about = (actual, expected, share) =>
  assert.ok(Math.abs(actual - expected) <= share * expected, `${actual} is not about ${expected}`);

void test('the push of a single change takes as long as one turn and one response', () => {
  const queue = simulation({});
  queue.change('a', 1, 'single');
  queue.run(0);
  about(queue.results.single.longest, 0.12, 1e-9);
});

void test("the phones of one account get pushes at the rate that one connection's streams allow", () => {
  const queue = simulation({});
  queue.change('a', 1_000_000, 'bulk');
  queue.run(0);
  // 500 streams with responses after 0.1 s make 5,000 pushes per second. Every ten seconds, a turn costs 0.02 s.
  about(queue.results.bulk.last, 200, 0.01);
});

void test('two accounts on one process share its CPU', () => {
  const queue = simulation({ rules: { ...rules, streams: 1e6 } });
  queue.change('a', 1_000_000, 'bulk');
  queue.change('b', 1_000_000, 'bulk');
  queue.run(0);
  // A claim of 1,000 takes at least the latency, so each account gets at most 10,000 pushes per second.
  about(queue.results.bulk.last, 100, 0.02);
});

void test("the number of waiting changes equals their rate times their mean wait, as Little's law says", () => {
  const random = seededRandom(2);
  const queue = simulation({ random });
  let [waitingSeconds, since, accounts] = [0, 0, 0];
  const look = () => {
    waitingSeconds += queue.waiting.devices * (queue.now - since);
    since = queue.now;
  };
  const single = () => {
    queue.change(`a${accounts++}`, 1, 'single');
    if (queue.now < 5000) queue.at(queue.now - Math.log(1 - random()) / 14, single);
  };
  const sample = () => {
    look();
    if (queue.now < 5000) queue.at(queue.now + 0.01, sample);
  };
  single();
  sample();
  queue.run(5000);
  const { devices, total } = queue.results.single;
  // A change waits until its claim. The response comes 0.1 s after the claim, so subtract that time.
  const meanWait = total / devices - 0.1;
  about(waitingSeconds / 5000, (devices / 5000) * meanWait, 0.02);
});

void test('a process that dies delays only its claimed changes, until other processes detect its death', () => {
  const queue = simulation({ processes: 2 });
  queue.change('a', 1, 'single');
  queue.at(0.05, () => queue.processes.forEach((process, index) => process.serving.size > 0 && queue.kill(index, 300)));
  queue.run(0);
  // The process dies at 0.05 s, and the others detect this 6 s later. The next claim takes 0.02 s, and the push 0.1 s.
  about(queue.results.single.longest, 6.17, 0.001);
});

void test('after an outage, all phones are current within the longest pause plus the longest backoff', () => {
  const queue = simulation({ outage: { from: 0, to: 7200 } });
  queue.change('a', 1, 'single');
  queue.run(0);
  const late = queue.results.single.last - 7200;
  assert.ok(late > 0 && late < 3600 + 120, `${late}`);
});

void test('an issuer makes fifteen writes per second, and single changes wait only for claimed writes', () => {
  const alone = { rules: parameters.google, nodes: 1, bulk: 15_000, singlesPerSecond: 0, random: seededRandom(3) };
  about(simulateIssuer(alone).seconds, 1000, 0.001);
  const { longest } = simulateIssuer({ ...alone, singlesPerSecond: 1 });
  assert.ok(longest > 1 && longest < (40 + 3) / 15 + 1, `${longest}`);
});

void test('two runs with the same seed have the same results', () => {
  const run = () => {
    const queue = simulation({ processes: 4, outage: { from: 0, to: 100 } });
    for (let index = 0; index < 50; index += 1) queue.change(`a${index}`, 30, 'bulk');
    queue.run(0);
    return queue.results;
  };
  assert.deepEqual(run(), run());
});

void test('the number of cores for an operation is its rate times its cost', () => {
  const costs = measuredCosts();
  const { operations } = sizeOf(parameters, costs);
  const { perSecond, cost } = operations.find(({ name }) => name === 'read a pass');
  about(perSecond, 1e9 / 2_592_000, 1e-9);
  assert.equal(cost.service, costs['read a pass'].service);
});

void test('an operation without a benchmark has the cost of the route that it is compared with', () => {
  const { operations } = sizeOf(parameters, measuredCosts());
  const costOf = (name) => {
    const { service, postgres } = operations.find((operation) => operation.name === name).cost;
    return { service, postgres };
  };
  assert.deepEqual(costOf('registration of a phone'), costOf('issue a pass'));
  assert.deepEqual(costOf('package after a push'), costOf('first package'));
});
