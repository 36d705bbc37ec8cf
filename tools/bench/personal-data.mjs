/**
 * What encryption at rest costs a read: the same service twice, one with PERSONAL_DATA=clear, each on a database of its own
 * with as many members. They take turns: one member, a list of 100, a search, a pass. CPU is that of the service's process;
 * latency is that of requests one after the other.
 *
 *   npm run build && node tools/bench/personal-data.mjs [members, default 5000] [rounds, default 9] [requests, default 300]
 */
import { median } from './load.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { cpuSeconds, machine, openAccount, withServers } from './servers.mjs';

const [members, rounds, requests] = [5000, 9, 300].map((value, index) => Number(process.argv[index + 2] ?? value));

const reads = {
  'one member': ({ n }) => ['GET', `/v1/memberships/members/${1 + (n % members)}`],
  'list of 100': () => ['GET', '/v1/memberships/members?limit=100'],
  'search by name': ({ n }) => ['GET', `/v1/memberships/members?q=holder${n % members}x`],
  'by e-mail': ({ n }) => ['GET', `/v1/memberships/members?email=holder${n % members}x@example.com`],
  pass: ({ passIds, n }) => ['GET', `/v1/pass/club/${passIds[n % passIds.length]}`],
};

await withServers(async (servers) => {
  const sides = [];
  for (const kind of ['clear', 'encrypted']) {
    const database = await emptyDatabase();
    servers.onStop(database.remove);
    const service = await servers.startService({ DATABASE_URL: database.url, PERSONAL_DATA: kind });
    sides.push({ kind, service, ...(await accountWithMembers(service)) });
    await database.client.query('VACUUM ANALYZE');
  }
  console.log(`\n${machine}, ${members} members, ${rounds} rounds of ${requests} requests, medians`);
  for (const [name, request] of Object.entries(reads)) await measure(name, request, sides);
});

async function accountWithMembers({ url }) {
  const account = await openAccount({ url });
  const call = async (method, path, body, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${account.key}`, ...(body && { 'Content-Type': type }) };
    const answer = await fetch(url + path, { method, headers, body });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  };
  const picture = (name) => `${url}/images/samples/${name}.png`;
  const images = { icon: picture('icon'), logo: picture('logo'), banner: picture('banner') };
  const look = {
    title: 'Club',
    issuerName: 'Bench',
    foregroundColor: '#ffffff',
    backgroundColor: '#123456',
    ...images,
  };
  await account.call('POST', '/v1/templates/club', { type: 'membership', primaryLabel: 'Member', ...look });
  await call('PUT', '/v1/memberships/settings', JSON.stringify({ templateId: 'club', reminders: [] }));
  const lines = Array.from({ length: members }, (_, n) =>
    JSON.stringify({
      email: `holder${n}x@example.com`,
      name: `Holder${n}x Lovelace`,
      data: { tier: 'gold', number: n },
    }),
  );
  const made = await call('POST', '/v1/memberships/members/import', lines.join('\n') + '\n', 'application/x-ndjson');
  const passIds = made
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).passId);
  return { call, passIds };
}

async function measure(name, request, sides) {
  const results = new Map(sides.map(({ kind }) => [kind, { cpu: [], latency: [] }]));
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const result = await run(request, side);
      // The first round warms up.
      if (round < 0) continue;
      results.get(side.kind).cpu.push(result.cpu);
      results.get(side.kind).latency.push(result.latency);
    }
  }
  const [clear, encrypted] = ['clear', 'encrypted'].map((kind) => results.get(kind));
  const row = ['cpu', 'latency'].map((what) => {
    const [before, after] = [median(clear[what]), median(encrypted[what])];
    return `${what} ${before.toFixed(3)} -> ${after.toFixed(3)} ms (${((after / before - 1) * 100).toFixed(1)} %)`;
  });
  console.log(`${name.padEnd(16)} ${row.join('   ')}`);
}

/** Milliseconds a request: CPU of the service, and the median time to its answer. */
async function run(request, side) {
  const times = [];
  const cpuBefore = cpuSeconds(side.service.pid);
  for (let n = 0; n < requests; n++) {
    const began = performance.now();
    await side.call(...request({ ...side, n: n * 37 }));
    times.push(performance.now() - began);
  }
  return { cpu: ((cpuSeconds(side.service.pid) - cpuBefore) * 1000) / requests, latency: median(times) };
}
