/**
 * Benchmarks how much encryption at rest costs reads. Runs the service twice, once with PERSONAL_DATA=clear, each on a
 * database of its own with the same members. For each kind of request, the two services take turns: one member, a list
 * of 100, a search, a pass, the caller's own user, and a sign-in. CPU is that of the service's process. Latency is
 * measured with one request after the other. Each round gives a ratio of two runs that follow each other. Prints the
 * median and quartiles of these ratios for each kind, and at the end for all reads together.
 *
 *   npm run build && node tools/bench/personal-data.mjs [members, default 5000] [rounds, default 9] [requests, default 300]
 */
import { join } from 'node:path';
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
  'own user': ({ token }) => ['GET', '/v1/auth/me', undefined, token],
};
/** A sign-in takes about 50 ms to hash the password, so a tenth of the requests is enough. */
const signIn = ({ person }) => ['POST', '/v1/auth/login', JSON.stringify(person)];

await withServers(async (servers) => {
  const sides = [];
  for (const kind of ['clear', 'encrypted']) {
    const database = await emptyDatabase();
    servers.onStop(database.remove);
    const own = { DATABASE_URL: database.url, DATA_DIR: join(servers.dir, kind), PERSONAL_DATA: kind };
    const service = await servers.startService(own);
    sides.push({ kind, service, ...(await accountWithMembers(service)) });
    await database.client.query('VACUUM ANALYZE');
  }
  console.log(`\n${machine}, ${members} members, ${rounds} rounds of ${requests} requests, medians`);
  const ratios = [];
  for (const [name, request] of Object.entries(reads)) ratios.push(await measure(name, request, sides, requests));
  await measure('sign-in', signIn, sides, Math.ceil(requests / 10));
  const all = ratios[0].map((_, round) => Math.exp(mean(ratios.map((each) => Math.log(each[round])))));
  console.log(`${'all reads'.padEnd(16)} CPU ${spread(all)}`);
});

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Formats the median and the quartiles of ratios. */
function spread(ratios) {
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(3);
  return `ratio ${median(ratios).toFixed(3)} (quartiles ${at(0.25)} to ${at(0.75)})`;
}

async function accountWithMembers({ url }) {
  const account = await openAccount({ url });
  const call = async (method, path, body, token = account.key, type = 'application/json') => {
    const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': type }) };
    const response = await fetch(url + path, { method, headers, body });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.text();
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
  const made = await call(
    'POST',
    '/v1/memberships/members/import',
    lines.join('\n') + '\n',
    account.key,
    'application/x-ndjson',
  );
  const passIds = made
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).passId);
  const person = { email: 'bench@example.com', password: 'correct horse battery staple' };
  const registration = JSON.stringify({ ...person, name: 'Ada Lovelace', accountName: 'Bench' });
  const { accessToken: token } = JSON.parse(await call('POST', '/v1/auth/register', registration));
  return { call, passIds, person, token };
}

/**
 * Measures one kind of request on both services.
 * @returns the ratio of their CPU in each round
 */
async function measure(name, request, sides, count) {
  const results = new Map(sides.map(({ kind }) => [kind, { cpu: [], latency: [] }]));
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const result = await run(request, side, count);
      // The first round only warms up the services.
      if (round < 0) continue;
      results.get(side.kind).cpu.push(result.cpu);
      results.get(side.kind).latency.push(result.latency);
    }
  }
  const [clear, encrypted] = ['clear', 'encrypted'].map((kind) => results.get(kind));
  const row = ['cpu', 'latency'].map((what) => {
    const [before, after] = [median(clear[what]), median(encrypted[what])];
    const ratios = encrypted[what].map((value, round) => value / clear[what][round]);
    return `${what} ${before.toFixed(3)} -> ${after.toFixed(3)} ms, ${spread(ratios)}`;
  });
  console.log(`${name.padEnd(16)} ${row.join('   ')}`);
  return encrypted.cpu.map((value, round) => value / clear.cpu[round]);
}

/** Measures milliseconds per request: the CPU of the service, and the median response time. */
async function run(request, side, count) {
  const times = [];
  const cpuBefore = cpuSeconds(side.service.pid);
  for (let n = 0; n < count; n++) {
    const began = performance.now();
    await side.call(...request({ ...side, n: n * 37 }));
    times.push(performance.now() - began);
  }
  return { cpu: ((cpuSeconds(side.service.pid) - cpuBefore) * 1000) / count, latency: median(times) };
}
