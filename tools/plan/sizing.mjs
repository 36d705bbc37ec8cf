/** Computes what an installation needs from parameters.json and the measured costs. A month has 30 days. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SECONDS_PER_MONTH = 30 * 86_400;
const HOURS_PER_MONTH = 720;
const GB = 1e9;

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Reads the parameters.
 * @returns the value of each parameter, and `described`, which also contains the descriptions
 */
export function readParameters(path = here('parameters.json')) {
  const text = JSON.parse(readFileSync(path, 'utf8'));
  const values = (group) => Object.fromEntries(Object.entries(group).map(([name, { value }]) => [name, value]));
  const { recordedCosts, unmeasuredCosts, bytes, ...described } = text;
  const groups = Object.entries(described).map(([name, group]) => [name, values(group)]);
  return { ...Object.fromEntries(groups), recordedCosts, unmeasuredCosts, bytes, described };
}

/** Reads the table of costs in docs/scaling.md. @returns the CPU in ms by route */
export function measuredCosts() {
  const page = readFileSync(here('../../docs/scaling.md'), 'utf8');
  const table = page.split('<!-- costs -->')[1].split('<!-- /costs -->')[0];
  const rows = table.split('\n').filter((line) => /^\| .*\d \|$/.test(line));
  const cells = rows.map((line) => line.split('|').map((cell) => cell.trim()));
  return Object.fromEntries(cells.map((row) => [row[1], { service: Number(row[2]), postgres: Number(row.at(-2)) }]));
}

/** Returns the operations of a month, each with its number, its cost and the source of the cost. */
export function operationsOf({ workload: w, recordedCosts, unmeasuredCosts }, costs) {
  const { passes, appleShare, googleShare, batchShare } = w;
  const changed = w.changes + w.templateChanges;
  const table = (row) => ({ ...costs[row], source: `\`npm run bench:costs\`, “${row}”` });
  const assumed = (name) => {
    const { like } = unmeasuredCosts[name];
    return { ...costs[like], source: `**assumption**: as “${like}”` };
  };
  return [
    ['issue a pass', w.newShare * (1 - batchShare), table('issue a pass')],
    ['change a pass', w.changes * (1 - batchShare), table('patch a pass')],
    ['a line of a batch', (w.newShare + w.changes) * batchShare, table('a line of a batch')],
    ['read a pass', w.reads, table('read a pass')],
    ['web view', w.webViews, table('web view')],
    ['first package', w.newShare * appleShare, table('package')],
    ['save link', w.newShare * googleShare, table('save link')],
    ['registration of a phone', w.newShare * appleShare, assumed('registration')],
    ['push, with marking and record', changed * appleShare, recordedCosts.push],
    ['list after a push', changed * appleShare, assumed('latestList')],
    ['package after a push', changed * appleShare, assumed('latestPackage')],
    ['write to Google', (w.newShare + changed) * googleShare, assumed('googleWrite')],
    ['webhook event', (w.newShare + w.changes) * w.webhookShare, recordedCosts.event],
  ].map(([name, perPass, cost]) => ({ name, perMonth: Number(perPass) * passes, cost: Object(cost) }));
}

/** Returns the rates, machines, bytes and money that the installation needs. */
export function sizeOf(parameters, costs) {
  const { workload: w, machines: m } = parameters;
  if (w.largestAccount > m.passesPerServer) throw new Error('The largest account does not fit on one Postgres server.');
  const operations = operationsOf(parameters, costs).map((operation) => ({
    ...operation,
    perSecond: operation.perMonth / SECONDS_PER_MONTH,
  }));
  const busy = (side) => operations.reduce((all, { perSecond, cost }) => all + (perSecond * cost[side]) / 1000, 0);
  const cores = { service: busy('service'), postgres: busy('postgres') };
  const peakCores = (mean) => (mean * w.peakFactor) / m.utilisation;
  const groups = Math.ceil(Math.max(w.passes / m.passesPerServer, peakCores(cores.postgres) / m.coresPerServer));
  const nodesPerGroup = Math.max(m.nodesPerGroup, Math.ceil(peakCores(cores.service) / groups / m.coresPerNode) + 1);
  const rate = (name) => operations.find((operation) => operation.name === name).perSecond;
  const machines = { groups, nodesPerGroup, processes: nodesPerGroup * m.coresPerNode };
  const storage = storageOf(parameters, groups);
  return { operations, cores, peakCores, rate, machines, storage, money: moneyOf(parameters, machines, storage, rate) };
}

/** Returns the number of rows of each table. */
function rowsOf({ workload: w }) {
  const { passes, appleShare, googleShare } = w;
  return {
    pass: passes,
    apple_device: passes * appleShare,
    apple_registration: passes * appleShare,
    google_resource: passes * googleShare,
    member: passes * w.members,
    webhook_event: (passes * w.webhookShare * (w.newShare + w.changes) * w.eventDays) / 30,
  };
}

function storageOf(parameters, groups) {
  const { workload: w, bytes, wal, machines: m } = parameters;
  const tables = Object.entries(rowsOf(parameters)).map(([name, rows]) => ({
    name,
    rows,
    ...bytes[name],
    gigabytes: (rows * (bytes[name].row + bytes[name].index)) / GB,
  }));
  const gigabytes = tables.reduce((all, table) => all + table.gigabytes, 0);
  const changed = w.changes + w.templateChanges;
  const walBytesPerPass =
    w.newShare * wal.creation +
    w.changes * wal.change +
    changed * w.appleShare * wal.push +
    (w.newShare + changed) * w.googleShare * wal.googleWrite +
    (w.newShare + w.changes) * w.webhookShare * wal.event;
  const walPerDay = (w.passes * walBytesPerPass) / 30 / GB;
  return {
    ...{ tables, gigabytes, walPerDay, perGroup: gigabytes / groups },
    bytesPerPass: (gigabytes * GB) / w.passes,
    backupHours: (gigabytes / groups) * (1000 / m.backupMBs / 3600),
    archive: gigabytes * m.backupsKept + walPerDay * m.walDaysKept,
  };
}

function moneyOf({ machines: m, prices: p }, { groups, nodesPerGroup }, storage, rate) {
  const servers = groups * (1 + m.standbys);
  const traffic =
    ((rate('package after a push') + rate('first package')) * SECONDS_PER_MONTH * m.packageKB * 1000) / GB;
  const lines = [
    ['cores of nodes', groups * nodesPerGroup * m.coresPerNode, HOURS_PER_MONTH * p.coreHour],
    ['cores of Postgres, with standbys', servers * m.coresPerServer, HOURS_PER_MONTH * p.coreHour],
    ['GB of disk, with standbys', storage.gigabytes * m.diskReserve * (1 + m.standbys), p.diskMonth],
    ['GB of base backups and WAL', storage.archive, p.archiveMonth],
    ['GB of packages to phones', traffic, p.trafficGB],
  ].map(([name, amount, price]) => ({ name, amount: Number(amount), price: Number(amount) * Number(price) }));
  return { lines, total: lines.reduce((all, line) => all + line.price, 0) };
}
