/**
 * Downloads over HTTP: GET …/walletA of a running service, database look-up and signature included, beside a hand-written
 * Express route around passkit-generator that serves the same images; and 304 answers beside the framework's bare
 * «hello». All servers are up at once and take turns under load, so that a noisy machine slows all alike.
 *
 *   npm run build && node tools/bench/downloads.mjs [rounds, default 3]
 */
import { execFile, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import sharp from 'sharp';
import yauzl from 'yauzl';

const rounds = Number(process.argv[2] ?? 3);
const connections = 16;
// As `npm start` and the container run the service; the same for all.
const execArgv = ['--max-semi-space-size=64'];
const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'passwright-bench-'));
const children = [];

try {
  await main();
} finally {
  for (const child of children) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(dir, { recursive: true });
}

async function main() {
  const ours = await startOurs();
  const hello = await start('hello-server.mjs', {});
  const contenders = [];
  for (const [name, weight, goal] of [
    ['S', 43_000, 50],
    ['L', 364_000, 100],
  ]) {
    const { url, files, certificates } = await aPass(ours, name, weight);
    writeFileSync(join(dir, `${name}.json`), JSON.stringify({ files, certificates }));
    const naive = await start('naive-server.mjs', { TEMPLATE: join(dir, `${name}.json`) });
    const etag = (await fetch(url)).headers.get('etag');
    contenders.push({ name, goal, url, ours, naive, etag, bytes: await size(url), theirBytes: await size(naive.url) });
  }
  const results = await race(contenders, hello);
  report(contenders, results);
}

async function startOurs() {
  const port = await freePort();
  const env = {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: join(dir, 'data'),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    UV_THREADPOOL_SIZE: String(availableParallelism()),
  };
  const child = fork(here('../../apps/api/dist/main.js'), {
    execArgv,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  for (;;) {
    const ready = await fetch(`${env.BASE_URL}/health/ready`).catch(() => null);
    if (ready?.ok) return { url: env.BASE_URL, pid: child.pid };
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function start(script, env) {
  const child = fork(here(script), { execArgv, env: { ...process.env, ...env } });
  children.push(child);
  const [url] = await once(child, 'message');
  return { url, pid: child.pid };
}

/** Registers, saves a template whose packages have about this many bytes, issues a pass. */
async function aPass({ url: baseUrl }, name, weight) {
  const post = async (path, body, token) => {
    const json = !(body instanceof FormData);
    const headers = {
      ...(json && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers,
      body: json ? JSON.stringify(body) : body,
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${answer.message}`);
    return answer;
  };
  const person = { email: `${name}@example.com`, password: 'a long password', name, accountName: name };
  const { accessToken: token } = await post('/v1/auth/register', person);
  const type = name === 'S' ? 'generic' : 'offer';
  const save = async (noise) => {
    const form = new FormData();
    const sizes = { icon: [114, 114], logo: [480, 150], banner: [1125, 432], thumbnail: [270, 270] };
    for (const [part, [width, height]] of Object.entries(sizes)) {
      form.append(part, new Blob([await picture(width, height, noise)]), `${part}.png`);
    }
    const { thumbnail, ...images } = await post(`/v1/templates/${name}/images`, form, token);
    const look = { title: 'Benchmark', issuerName: 'Passwright', foregroundColor: '#fff', backgroundColor: '#123456' };
    const own = type === 'generic' && { thumbnail, primaryLabel: 'Holder' };
    const fields = [{ key: 'a', label: 'A', value: '1' }];
    await post(`/v1/templates/${name}`, { type, ...look, ...images, ...own, fields }, token);
  };
  await save(0);
  const { walletAUrl } = await post(`/v1/pass/${name}`, type === 'generic' ? { primaryValue: 'Ada' } : {}, token);
  // The noisier the pictures, the heavier the package.
  for (let [low, high] = [0, 1]; high - low > 0.004;) {
    const noise = (low + high) / 2;
    await save(noise);
    if ((await size(walletAUrl)) < weight) low = noise;
    else high = noise;
  }
  const files = await unzip(Buffer.from(await (await fetch(walletAUrl)).arrayBuffer()));
  const chain = (file) => readFileSync(join(dir, 'data', 'development-chain', file), 'utf8');
  const certificates = { wwdr: chain('intermediate.pem'), signerCert: chain('pass.pem'), signerKey: chain('pass.key') };
  return { url: walletAUrl, files, certificates };
}

/** A smooth picture of which the given share of pixels, 0 to 1, is grain. */
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

/** The package's own files, base64 by name, without manifest and signature. */
async function unzip(bytes) {
  const zip = await new Promise((resolve, reject) =>
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  const files = {};
  await new Promise((resolve, reject) => {
    zip.on('end', resolve).on('error', reject);
    zip.on('entry', (entry) => {
      zip.openReadStream(entry, async (error, stream) => {
        if (error) return reject(error);
        const bytes = Buffer.concat(await stream.toArray());
        if (!['manifest.json', 'signature'].includes(entry.fileName)) files[entry.fileName] = bytes.toString('base64');
        zip.readEntry();
      });
    });
    zip.readEntry();
  });
  return files;
}

async function race(contenders, hello) {
  const results = {};
  const turn = async (key, seconds, server, url, headers) =>
    (results[key] ??= []).push(await load(seconds, server, url, headers));
  // Not counted: code that has just started is not yet compiled.
  for (const { url, ours, naive } of contenders) {
    await load(4, ours, url);
    await load(4, naive, naive.url);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, url, ours, naive, etag } of contenders) {
      await turn(`${name} ours`, 5, ours, url);
      await turn(`${name} naive`, 8, naive, naive.url);
      await turn(`${name} 304`, 4, ours, url, { 'If-None-Match': etag });
      await turn(`${name} hello`, 4, hello, hello.url);
    }
  }
  return results;
}

/** One slice of load: requests per second, p99 in ms, CPU of the server per request in ms. */
async function load(seconds, { pid }, url, headers = {}) {
  const cpuBefore = cpuSeconds(pid);
  const { count, rate, p99, failed } = await (hasWrk ? wrk(seconds, url, headers) : cannon(seconds, url, headers));
  if (failed) throw new Error(`${url}: ${failed} of ${count} requests failed`);
  return { rate, p99, cpu: ((cpuSeconds(pid) - cpuBefore) / count) * 1000 };
}

/** wrk costs the machine least; where it is not installed, autocannon. */
async function wrk(seconds, url, headers) {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '--latency', ...sent, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const figure = (pattern) => pattern.exec(stdout)?.slice(1) ?? [];
  const [amount, unit] = figure(/99%\s+([\d.]+)(us|ms|s)/);
  const errors = figure(/Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/);
  return {
    count: Number(figure(/(\d+) requests in/)[0]),
    rate: Number(figure(/Requests\/sec:\s+([\d.]+)/)[0]),
    p99: Number(amount) * { us: 0.001, ms: 1, s: 1000 }[unit],
    failed: [...figure(/Non-2xx or 3xx responses: (\d+)/), ...errors].reduce((sum, number) => sum + Number(number), 0),
  };
}

async function cannon(seconds, url, headers) {
  const result = await autocannon({ url, headers, connections, duration: seconds, timeout: 60 });
  return {
    count: result.requests.total,
    rate: result.requests.total / result.duration,
    p99: result.latency.p99,
    failed: result['4xx'] + result['5xx'] + result.errors,
  };
}

/** CPU time of a process so far, all threads, from /proc; not a number where there is none. */
function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}

function report(contenders, results) {
  const median = (key, figure) => results[key].map((slice) => slice[figure]).sort((a, b) => a - b)[rounds >> 1];
  const line = (label, key) =>
    `  ${label.padEnd(46)}${median(key, 'rate').toFixed(1).padStart(9)}/s   p99 ${median(key, 'p99').toFixed(0).padStart(6)} ms   CPU ${median(key, 'cpu').toFixed(2).padStart(7)} ms`;
  const ratio = (a, b, figure) => median(a, figure) / median(b, figure);
  console.log(
    `\nNode ${process.versions.node}, ${availableParallelism()} cores (${cpus()[0].model}), ${connections} connections by ${hasWrk ? 'wrk' : 'autocannon'}, medians of ${rounds} rounds; the load comes from this machine too\n`,
  );
  for (const { name, goal, bytes, theirBytes } of contenders) {
    const faster = ratio(`${name} ours`, `${name} naive`, 'rate');
    console.log(`${name}: ${Math.round(bytes / 1000)} KB (passkit-generator: ${Math.round(theirBytes / 1000)} KB)`);
    console.log(line('Passwright, package', `${name} ours`));
    console.log(line('Express around passkit-generator', `${name} naive`));
    console.log(line('Passwright, 304', `${name} 304`));
    console.log(line('NestJS on Express, «hello»', `${name} hello`));
    console.log(
      `  packages: ${faster.toFixed(0)} × the naive route (goal ${goal} ×: ${faster >= goal ? 'met' : 'MISSED'}); 304: ${ratio(`${name} 304`, `${name} hello`, 'rate').toFixed(2)} of «hello»\n`,
    );
  }
}

async function size(url) {
  return (await (await fetch(url)).arrayBuffer()).byteLength;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
