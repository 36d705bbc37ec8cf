/**
 * Benchmarks Google Wallet save links. First signs them in one process. Compares this with jsonwebtoken, and with plain
 * RSA signatures of the same key, which run asynchronously and so use all cores. Then requests them over HTTP for
 * passes that Google already has, and compares this with a minimal response of the framework («hello»). The variants
 * take turns.
 *
 *   npm run build && node tools/bench/save-links.mjs [rounds, default 5] [seconds of a slice, default 3]
 */
process.env.UV_THREADPOOL_SIZE ??= String((await import('node:os')).availableParallelism());
const { createPrivateKey, sign } = await import('node:crypto');
const { promisify } = await import('node:util');
const { FakeGoogleWallet } = await import('@passwright/testing');
const { MemoryQuota, ResolvedServiceAccounts, RestGoogleWallet } = await import('@passwright/google-wallet-api');
const { saveReferences } = await import('@passwright/wallet-renderers');
const { default: jsonwebtoken } = await import('jsonwebtoken');
const { loadedBy, median, race } = await import('./load.mjs');
const { emptyDatabase } = await import('./seeded-database.mjs');
const { machine, openAccount, saveTemplate, withServers } = await import('./servers.mjs');

const rounds = Number(process.argv[2] ?? 5);
const seconds = Number(process.argv[3] ?? 3);
const underWay = 32;
const clock = { now: () => new Date() };

const fake = await FakeGoogleWallet.start({ requestsPerSecond: 1000 });
fake.fetchImages = false;
const { issuerId, clientEmail, privateKeyPem, keyFile } = fake.serviceAccount();
const addresses = { apiUrl: fake.urls.api, tokenUrl: fake.urls.token, saveUrl: null, callbackKeysUrl: fake.urls.keys };
const serviceAccount = { kind: /** @type {const} */ ('operator'), issuerId, clientEmail, privateKeyPem };
const accounts = new ResolvedServiceAccounts({ serviceAccount, ...addresses }, null);
const wallet = new RestGoogleWallet(addresses, accounts, new MemoryQuota(), clock);
const key = createPrivateKey(privateKeyPem);
const payload = saveReferences([{ vertical: 'offer', objectId: `${issuerId}.object`, classId: `${issuerId}.class` }]);
const claims = { iss: clientEmail, aud: 'google', typ: 'savetowallet', iat: 1, origins: [], payload };
const text = Buffer.from(await wallet.saveLink('acc', payload)).subarray(0, 400);
const signAsync = promisify(sign);

const inProcess = {
  rsa: () => signAsync('RSA-SHA256', text, key),
  link: () => wallet.saveLink('acc', payload),
  jsonwebtoken: () => Promise.resolve(jsonwebtoken.sign(claims, key, { algorithm: 'RS256' })),
};

/** Returns the number of calls per second, with a fixed number of simultaneous calls. */
async function rateOf(work) {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  let count = 0;
  const line = async () => {
    while (performance.now() < endsAt) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: underWay }, line));
  return (count * 1000) / (performance.now() - startedAt);
}

const rates = {};
for (let round = -1; round < rounds; round += 1) {
  for (const [name, work] of Object.entries(inProcess)) {
    const rate = await rateOf(work);
    // The first round is not counted, because the code is not compiled yet.
    if (round >= 0) (rates[name] ??= []).push(rate);
  }
}

const http = {};
await withServers(async (servers) => {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const google = { GOOGLE_ISSUER_ID: issuerId, GOOGLE_SERVICE_ACCOUNT: keyFile, GOOGLE_WALLET_URL: fake.urls.api };
  const settings = { ...google, GOOGLE_TOKEN_URL: fake.urls.token, GOOGLE_CALLBACK_KEYS_URL: fake.urls.keys };
  const ours = await servers.startService({ DATABASE_URL: database.url, ...settings });
  const hello = await servers.start('hello-server.mjs', { DATABASE_URL: database.url });
  const account = await openAccount(ours);
  await saveTemplate(account, ours.url, 'offer', 'Benchmark');
  const links = [];
  for (let n = 0; n < 30; n += 1) {
    const { walletBUrl } = await account.call('POST', '/v1/pass/offer', {});
    const { development } = await (await fetch(walletBUrl)).json();
    if (development !== false) throw new Error('the link is no link of an issuer');
    links.push({ path: new URL(walletBUrl).pathname });
  }
  const contenders = { hello: [hello, { path: '/' }], one: [hello, { path: '/one' }], link: [ours, links] };
  Object.assign(http, await race(contenders, rounds, seconds));
});
await fake.stop();

const of = (name) => median(rates[name]);
console.log(`\n${machine}, medians of ${rounds} rounds, ${underWay} under way\n`);
const line = (label, name) =>
  console.log(
    `  ${label.padEnd(42)}${of(name).toFixed(0).padStart(7)}/s   ${(of(name) / of('rsa')).toFixed(2)} of bare RSA`,
  );
line('bare RSA-2048 signatures, asynchronous', 'rsa');
line('save links', 'link');
line('jsonwebtoken, on the event loop', 'jsonwebtoken');
console.log(`\nover HTTP, ${loadedBy}; the load comes from this machine too\n`);
const figure = (name, what) => median(http[name].map((slice) => slice[what]));
for (const [label, name] of [
  ['NestJS on Express, «hello»', 'hello'],
  ['the same with one SELECT 1', 'one'],
  ['the link of a pass that Google has', 'link'],
]) {
  console.log(
    `  ${label.padEnd(42)}${figure(name, 'rate').toFixed(0).padStart(7)}/s   p50 ${figure(name, 'p50').toFixed(1).padStart(5)} ms   p99 ${figure(name, 'p99').toFixed(1).padStart(6)} ms   CPU ${figure(name, 'cpu').toFixed(3).padStart(6)} ms`,
  );
}
console.log('');
