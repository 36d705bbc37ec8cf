/**
 * Benchmarks downloads over HTTP. Compares GET …/walletA of a running service, which reads the database and signs, with
 * a hand-written Express route that builds the package with passkit-generator. Both serve the same images. Also
 * compares 304 responses with a minimal response of the framework («hello»), and the CPU of a package with that of a
 * bare signature and a «hello» with one round trip to the database. The limit of the machine is a bare server that signs
 * once, makes one round trip to the database, and sends a constant body with the headers of a package. All servers run
 * simultaneously and take turns under load, so that a noisy machine slows all of them equally.
 *
 *   npm run build && node tools/bench/downloads.mjs [rounds, default 3]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { bareSignature } from './bare-signature.mjs';
import { load, loadedBy, median } from './load.mjs';
import { packageOf, unzip } from './package-files.mjs';
import { emptyDatabase } from './seeded-database.mjs';
import { machine, openAccount, withServers } from './servers.mjs';

const rounds = Number(process.argv[2] ?? 3);

await withServers(main);

async function main(servers) {
  const database = await emptyDatabase();
  servers.onStop(database.remove);
  const ours = await servers.startService({ DATABASE_URL: database.url });
  const hello = await servers.start('hello-server.mjs', { DATABASE_URL: database.url });
  const contenders = [];
  for (const [name, weight, goal] of [
    ['S', 43_000, 80],
    ['L', 364_000, 160],
  ]) {
    const { url, files } = await aPass(ours, name, weight);
    const file = join(servers.dir, `${name}.json`);
    writeFileSync(file, JSON.stringify({ files, certificates: developmentChain(servers.dir) }));
    const naive = await servers.start('naive-server.mjs', { TEMPLATE: file });
    const [headers, bytes, theirBytes] = [await headersOf(url), await size(url), await size(naive.url)];
    const limit = await servers.start('limit-server.mjs', {
      DATABASE_URL: database.url,
      BYTES: String(bytes),
      HEADERS: JSON.stringify(headers),
      UV_THREADPOOL_SIZE: String(availableParallelism()),
    });
    const path = new URL(url).pathname;
    contenders.push({ name, goal, path, ours, naive, limit, etag: headers.etag, bytes, theirBytes });
  }
  report(contenders, await race(contenders, hello));
}

/** Saves a template whose packages have about the given number of bytes, in a new account, and issues a pass. */
async function aPass(ours, name, weight) {
  const { call } = await openAccount(ours);
  const type = name === 'S' ? 'generic' : 'offer';
  const save = async (noise) => {
    const form = new FormData();
    const sizes = { icon: [114, 114], logo: [480, 150], banner: [1125, 432], thumbnail: [270, 270] };
    for (const [part, [width, height]] of Object.entries(sizes)) {
      form.append(part, new Blob([await picture(width, height, noise)]), `${part}.png`);
    }
    const { thumbnail, ...images } = await call('POST', `/v1/templates/${name}/images`, form);
    const look = { title: 'Benchmark', issuerName: 'Passwright', foregroundColor: '#fff', backgroundColor: '#123456' };
    const own = type === 'generic' && { thumbnail, primaryLabel: 'Holder' };
    const fields = [{ key: 'a', label: 'A', value: '1' }];
    await call('POST', `/v1/templates/${name}`, { type, ...look, ...images, ...own, fields });
  };
  await save(0);
  const { walletAUrl: url } = await call('POST', `/v1/pass/${name}`, type === 'generic' ? { primaryValue: 'Ada' } : {});
  // Search for the share of noise that gives the wanted size: noisier images make larger packages.
  for (let [low, high] = [0, 1]; high - low > 0.004;) {
    const noise = (low + high) / 2;
    await save(noise);
    if ((await size(url)) < weight) low = noise;
    else high = noise;
  }
  return { url, files: base64(await unzip(await packageOf(url))) };
}

function developmentChain(dir) {
  const chain = (file) => readFileSync(join(dir, 'data', 'development-chain', file), 'utf8');
  return { wwdr: chain('intermediate.pem'), signerCert: chain('pass.pem'), signerKey: chain('pass.key') };
}

/**
 * Returns the files of a package in base64, without manifest and signature.
 * @param {Record<string, Buffer>} files
 */
function base64({ 'manifest.json': _manifest, signature: _signature, ...files }) {
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.toString('base64')]));
}

/** Draws an image in which the given share of pixels, 0 to 1, is noise. The rest is smooth. */
async function picture(width, height, noise) {
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0, pixel = 0; at < pixels.length; pixel += 1) {
    const grain =
      (Math.imul(pixel, 2654435761) >>> 8) % 1000 < noise * 1000 ? (Math.imul(pixel, 40503) >>> 4) % 256 : 0;
    for (let channel = 0; channel < 3; channel += 1, at += 1) {
      pixels[at] = (((pixel % width) / width) * 60 + 60 * channel + ((grain * (channel + 1)) % 97)) & 255;
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

async function race(contenders, hello) {
  const results = {};
  const turn = async (key, seconds, server, path, headers) =>
    (results[key] ??= []).push(await load(seconds, server, { path, headers }));
  // The first round is not counted, because the code is not compiled yet.
  for (const { path, ours, naive, limit } of contenders) {
    await load(4, ours, { path });
    await load(2, limit, { path: '/' });
    await load(4, naive, { path: '/pass' });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, path, ours, naive, limit, etag } of contenders) {
      await turn(`${name} ours`, 5, ours, path);
      await turn(`${name} limit`, 5, limit, '/');
      await turn(`${name} naive`, 8, naive, '/pass');
      await turn(`${name} 304`, 4, ours, path, { 'If-None-Match': etag });
      await turn(`${name} hello`, 4, hello, '/');
      await turn(`${name} one`, 4, hello, '/one');
      (results[`${name} signature`] ??= []).push({ cpu: await bareSignature(2) });
    }
  }
  return results;
}

function report(contenders, results) {
  const of = (key, figure) => median(results[key].map((slice) => slice[figure]));
  const line = (label, key) =>
    `  ${label.padEnd(46)}${of(key, 'rate').toFixed(1).padStart(9)}/s   p99 ${of(key, 'p99').toFixed(0).padStart(6)} ms   CPU ${of(key, 'cpu').toFixed(2).padStart(7)} ms`;
  const ratio = (a, b, figure) => of(a, figure) / of(b, figure);
  console.log(`\n${machine}, ${loadedBy}, medians of ${rounds} rounds; the load comes from this machine too\n`);
  for (const { name, goal, bytes, theirBytes } of contenders) {
    const faster = ratio(`${name} ours`, `${name} naive`, 'rate');
    console.log(`${name}: ${Math.round(bytes / 1000)} KB (passkit-generator: ${Math.round(theirBytes / 1000)} KB)`);
    console.log(line('Passwright, package', `${name} ours`));
    console.log(line('limit: signature, SELECT 1, constant body', `${name} limit`));
    console.log(line('Express around passkit-generator', `${name} naive`));
    console.log(line('Passwright, 304', `${name} 304`));
    console.log(line('NestJS on Express, «hello»', `${name} hello`));
    console.log(line('the same with one SELECT 1', `${name} one`));
    const verdict = `goal ${goal} ×: ${faster >= goal ? 'met' : 'MISSED'}`;
    const unchanged = ratio(`${name} 304`, `${name} hello`, 'rate').toFixed(2);
    console.log(`  packages: ${faster.toFixed(0)} × the naive route (${verdict}); 304: ${unchanged} of «hello»`);
    const ofLimit = ratio(`${name} ours`, `${name} limit`, 'rate').toFixed(2);
    const limitFaster = ratio(`${name} limit`, `${name} naive`, 'rate').toFixed(0);
    console.log(`  packages: ${ofLimit} of the limit of this machine, which is ${limitFaster} × the naive route`);
    const signature = of(`${name} signature`, 'cpu');
    const parts = of(`${name} ours`, 'cpu') / (signature + of(`${name} one`, 'cpu'));
    const limit = name === 'S' ? ` (goal 1.25 ×: ${parts <= 1.25 ? 'met' : 'MISSED'})` : '';
    console.log(
      `  CPU of a package: ${parts.toFixed(2)} × a bare signature (${signature.toFixed(2)} ms) and SELECT 1${limit}\n`,
    );
  }
}

/** Returns the headers of a package that the service sets. Node adds the others to each response. */
async function headersOf(url) {
  const { headers } = await fetch(url);
  const byNode = ['connection', 'date', 'keep-alive'];
  return Object.fromEntries([...headers].filter(([name]) => !byNode.includes(name)));
}

async function size(url) {
  return (await packageOf(url)).length;
}
