/** Formats the tables of docs/a-billion-passes.md as Markdown. Each table has the name of its place on the page. */
import { googleScenario, pushScenarios } from './scenarios.mjs';
import { sizeOf } from './sizing.mjs';

const number = (value, digits = 0) =>
  value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
const two = (value) => number(value, value < 10 ? 2 : value < 100 ? 1 : 0);

export function tablesOf(parameters, costs) {
  const size = sizeOf(parameters, costs);
  const { workload, machines, prices, apple, google, scenarios } = parameters.described;
  return {
    workload: described({ ...workload }),
    machines: described({ ...machines, ...prices }),
    costs: costTable(size),
    bytes: byteTable(size.storage),
    result: resultTable(parameters, size),
    apple: appleTable(parameters, size),
    google: googleTable(parameters, size),
    money: moneyTable(size.money),
    rules: described({ ...apple, ...google }, true),
    scenarios: described(scenarios),
    simulated: simulatedTable(pushScenarios(parameters, size)),
  };
}

function table(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const right = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  return [line(columns), line(right), ...rows.map(line)].join('\n');
}

function described(group, hasSource = false) {
  const rows = Object.values(group).map(({ what, value, source }) => [
    what,
    value.toLocaleString('en', { maximumFractionDigits: 4 }),
    ...(hasSource ? [source === 'assumption' ? '**assumption**' : source] : []),
  ]);
  return table(['Parameter', 'Value', ...(hasSource ? ['From'] : [])], rows);
}

function costTable({ operations }) {
  const rows = operations.map(({ name, perSecond, cost }) => [
    ...[name, two(perSecond), number(cost.service, 3), number(cost.postgres, 3)],
    ...[two((perSecond * cost.service) / 1000), two((perSecond * cost.postgres) / 1000), cost.source],
  ]);
  const columns = [
    'Operation',
    'per second',
    'service, ms',
    'Postgres, ms',
    'cores of the service',
    'cores of Postgres',
  ];
  return table([...columns, 'Cost from'], rows);
}

function byteTable({ tables, gigabytes, bytesPerPass }) {
  const rows = tables.map(({ name, rows: count, row, index, gigabytes: size, source }) => [
    ...[`\`${name}\``, `${number(count / 1e6)} million`, number(row), number(index), number(size)],
    source === 'assumption' ? '**assumption**' : source,
  ]);
  rows.push(['all', '', '', `${number(bytesPerPass)} per pass`, number(gigabytes), '']);
  return table(['Table', 'Rows', 'bytes of a row', 'of its indexes', 'GB', 'From'], rows);
}

function resultTable({ machines: m, workload }, { cores, peakCores, machines, storage }) {
  const { groups, nodesPerGroup, processes } = machines;
  return table(
    ['What', 'All', 'Each group'],
    [
      ['cores in use, service, mean', two(cores.service), two(cores.service / groups)],
      ['cores in use, Postgres, mean', two(cores.postgres), two(cores.postgres / groups)],
      ['cores needed at the peak, service', two(peakCores(cores.service)), two(peakCores(cores.service) / groups)],
      ['cores needed at the peak, Postgres', two(peakCores(cores.postgres)), two(peakCores(cores.postgres) / groups)],
      ['groups of accounts, each with a Postgres server', number(groups), '1'],
      ['nodes', number(groups * nodesPerGroup), number(nodesPerGroup)],
      ['processes', number(groups * processes), number(processes)],
      ['standbys', number(groups * m.standbys), number(m.standbys)],
      ['passes', number(workload.passes), number(workload.passes / groups)],
      ['GB of rows and indexes', number(storage.gigabytes), number(storage.perGroup)],
      ['GB of disk of a server', number(storage.gigabytes * m.diskReserve), number(storage.perGroup * m.diskReserve)],
      ['GB of WAL a day', two(storage.walPerDay), two(storage.walPerDay / groups)],
      ['hours of a base backup or restore', '', two(storage.backupHours)],
    ],
  );
}

function appleTable({ workload: w, apple }, { rate, machines }) {
  const pushes = rate('push, with marking and record');
  const singles = (rate('change a pass') * w.appleShare) / machines.groups;
  const slots = machines.processes * apple.slots;
  return table(
    ['Pushes', 'Value'],
    [
      ['pushes a second, mean', two(pushes)],
      ['pushes a second, busiest hour', two(pushes * w.peakFactor)],
      ['connections to APNs with one certificate', number(machines.groups * machines.processes)],
      ['most pushes a second of a connection, by its streams', number(apple.streams / apple.latencySeconds)],
      ['single changes a second of a group, busiest hour', two(singles * w.peakFactor)],
      ['turns a second that the slots of a group allow', two(slots / (apple.latencySeconds + apple.turnSeconds))],
    ],
  );
}

function googleTable(parameters, { rate, machines }) {
  const { google, scenarios } = parameters;
  const writes = rate('write to Google');
  const days = (objects) => `${two(objects / google.perSecond / 86_400)} days`;
  const shared = googleScenario(parameters, machines.nodesPerGroup);
  const largest = parameters.workload.largestAccount * parameters.workload.googleShare;
  return table(
    ['Google', 'Value'],
    [
      ['writes a second, mean', two(writes)],
      ['issuers that this takes, if each is busy all the time', number(Math.ceil(writes / google.perSecond))],
      ['a change of 1 million objects of an issuer', days(1e6)],
      ['a change of 10 million objects', days(1e7)],
      [`a change of the ${number(largest / 1e6)} million objects of the largest account`, days(largest)],
      [
        `simulated: ${number(scenarios.googleBulk)} objects beside single changes`,
        `${two(shared.seconds / 3600)} hours`,
      ],
      ['simulated: the longest wait of a single change meanwhile', `${two(shared.longest)} s`],
    ],
  );
}

function moneyTable({ lines, total }) {
  const rows = lines.map(({ name, amount, price }) => [name, number(amount), number(price)]);
  return table(['A month', 'Amount', 'Money'], [...rows, ['all', '', number(total)]]);
}

function simulatedTable(results) {
  const time = (seconds) => (seconds < 120 ? `${two(seconds)} s` : `${two(seconds / 60)} min`);
  const rows = results.map((result) => [
    ...[result.name, two(result.singles), result.bulk ? time(result.bulk.longest) : '–'],
    result.afterOutage === null ? (result.bulk ? time(result.lastCurrent - result.lastPushed) : '–') : '–',
    ...[time(result.single.longest), result.afterOutage === null ? '–' : time(result.afterOutage)],
    ...[number(result.mostPages), `${two(result.tableBytes / 1e6)} MB`],
  ]);
  const columns = [
    'Scenario',
    'single changes a second',
    'longest push of a large change',
    'packages after the last push',
  ];
  const more = ['longest wait of a single change', 'last phone after the outage', 'most pages', 'size of the queue'];
  return table([...columns, ...more], rows);
}
