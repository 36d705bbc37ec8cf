/** The scenarios of the plan, for the group of accounts that has the largest account. */
import { seededRandom } from './event-heap.mjs';
import { simulateIssuer } from './google-simulation.mjs';
import { PushSimulation } from './push-simulation.mjs';

const HOUR = 3600;
/**
 * The number of accounts that change single passes. Two changes share a job only if one account makes both at almost
 * the same time. With this many accounts this is already rare, so more accounts would not change the result.
 */
const SMALL_ACCOUNTS = 10_000;

/** Runs all scenarios of pushes. @returns one result for each */
export function pushScenarios(parameters, size) {
  const { scenarios: s } = parameters;
  const singles = ((size.rate('change a pass') * parameters.workload.appleShare) / size.machines.groups) * s.load;
  const world = { parameters, size, singles };
  const bulk = (simulation) => simulation.change('largest', s.bulkPhones, 'bulk');
  const outage = { from: HOUR / 2, to: HOUR / 2 + s.outageHours * HOUR };
  return [
    run(world, 'a usual hour', () => undefined, { until: HOUR }),
    run(world, 'a usual hour at the peak', () => undefined, {
      until: HOUR,
      load: parameters.workload.peakFactor / s.load,
    }),
    run(world, `a template of ${millions(s.bulkPhones)} phones changes`, bulk),
    run(world, 'the same, and a node is lost for ten minutes', (simulation) => {
      bulk(simulation);
      const { coresPerNode } = parameters.machines;
      for (let index = 0; index < coresPerNode; index += 1) simulation.at(300, () => simulation.kill(index, 600));
    }),
    run(world, 'a day of broadcasts', (simulation) => broadcasts(simulation, s), { until: s.broadcastHours * HOUR }),
    run(world, `${s.outageHours} hours without APNs`, () => undefined, { until: outage.to, outage, together: 10 }),
  ];
}

function broadcasts(simulation, { broadcastAccounts, broadcastPhones, broadcastHours }) {
  for (let index = 0; index < broadcastAccounts; index += 1) {
    const at = simulation.random() * broadcastHours * HOUR;
    simulation.at(at, () => simulation.change(`broadcast${index}`, broadcastPhones, 'bulk'));
  }
}

/**
 * Simulates one scenario.
 * @param together the number of single changes that one event represents. A higher number is faster if changes are
 * often retried
 */
function run({ parameters, size, singles }, name, prepare, { until = 0, outage = null, load = 1, together = 1 } = {}) {
  const { apple: rules, scenarios: s } = parameters;
  const random = seededRandom(s.seed);
  const pushMs = size.operations.find((operation) => operation.name.startsWith('push')).cost.service;
  const downloads = new Downloads(parameters, size);
  const simulation = new PushSimulation({
    rules: { ...rules, pushMs },
    processes: size.machines.processes,
    random,
    outage,
    onPushed: (devices) => downloads.add(simulation.now, devices),
  });
  prepare(simulation);
  // If the scenario has no end time, single changes arrive until the last phone of the large change gets its push.
  const isOver = () =>
    until === 0 ? (simulation.results.bulk?.devices ?? 0) >= s.bulkPhones : simulation.now >= until;
  const single = () => {
    if (isOver()) return;
    simulation.change(`small${Math.floor(random() * SMALL_ACCOUNTS)}`, together, 'single');
    simulation.at(simulation.now - (together * Math.log(1 - random())) / (singles * load), single);
  };
  single();
  simulation.run(until);
  const { bulk, single: one } = simulation.results;
  return {
    ...{ name, bulk, single: one, singles: singles * load },
    afterOutage: outage ? one.last - outage.to : null,
    mostPages: simulation.waiting.mostPages,
    tableBytes: simulation.waiting.mostBytes,
    lastPushed: (bulk ?? one).last,
    lastCurrent: downloads.endsAt,
    downloadsWait: downloads.longestWait,
  };
}

/**
 * The requests that phones make after a push, modelled as a liquid. It fills a queue, and the nodes' cores drain the
 * queue.
 */
class Downloads {
  endsAt = 0;
  longestWait = 0;

  constructor({ machines }, { operations, machines: { processes } }) {
    const after = operations.filter(({ name }) => name.endsWith('after a push'));
    const ms = after.reduce((all, { cost }) => all + cost.service, 0);
    this.perSecond = (processes * machines.utilisation * 1000) / ms;
  }

  add(now, devices) {
    this.endsAt = Math.max(this.endsAt, now) + devices / this.perSecond;
    this.longestWait = Math.max(this.longestWait, this.endsAt - now);
  }
}

/** Simulates a template change of an issuer that several accounts share. */
export function googleScenario({ google: rules, scenarios: s }, nodes) {
  return simulateIssuer({
    ...{ rules, nodes, bulk: s.googleBulk, singlesPerSecond: s.googleSingles },
    random: seededRandom(s.seed),
  });
}

function millions(count) {
  return count >= 1e6 ? `${count / 1e6} million` : count.toLocaleString('en');
}
