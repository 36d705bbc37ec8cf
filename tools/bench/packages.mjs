/**
 * Benchmarks the Apple package builder. Each package needs an RSA-2048 signature, so the machine's signing speed is the
 * limit. Measures how close the builder comes to this limit, and how it compares with passkit-generator. All builders
 * take turns in short slices of one run, so that a noisy machine slows all of them equally. Figures are medians of
 * slices. Ratios are medians of the ratios within a round.
 *
 *   npm run build && node tools/bench/packages.mjs [rounds, default 40]
 */
import { spawnSync } from 'node:child_process';
import { randomBytes, sign } from 'node:crypto';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DetachedCms } from '@passwright/signer';
import { applePassJson, compilePackage } from '@passwright/wallet-renderers';
import { PKPass } from 'passkit-generator';
import { images, L, renderedFrom, S, signingMaterial } from './package-content.mjs';

const cores = availableParallelism();
const inFlight = 16;
const rounds = Number(process.argv[2] ?? 40);

// libuv reads its thread pool size only at the start of a process, so restart with one thread per core.
if (process.env.UV_THREADPOOL_SIZE !== String(cores) || !globalThis.gc) {
  const again = ['--expose-gc', fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(cores) };
  process.exit(spawnSync(process.execPath, again, { env, stdio: 'inherit' }).status ?? 1);
}

const signing = await signingMaterial();
const cms = new DetachedCms(signing);
const attributes = randomBytes(105);
const bareSync = () => sign('sha256', attributes, signing.privateKey);
const bareAsync = () =>
  new Promise((resolve, reject) =>
    sign('sha256', attributes, signing.privateKey, (error, signature) => (error ? reject(error) : resolve(signature))),
  );

/** Render the passes in advance, so that all builders start from a finished `pass.json`. */
const passes = Array.from({ length: 64 }, (_, serial) => applePassJson(...renderedFrom(serial)));
let turn = 0;
const nextPass = () => passes[(turn = (turn + 1) % passes.length)];
const rows = [];
const openssl = opensslRate();
for (const [name, sizes] of Object.entries({ S, L })) await compare(name, await images(sizes));
report();

async function compare(name, files) {
  const compiled = compilePackage(files);
  const ours = (pass) => {
    const draft = compiled.draft(JSON.stringify(pass));
    return draft.finish(cms.signSync(draft.manifest, new Date()));
  };
  const oursAsync = async (pass) => {
    const draft = compiled.draft(JSON.stringify(pass));
    return draft.finish(await cms.sign(draft.manifest, new Date()));
  };
  const size = ours(nextPass()).reduce((sum, { length }) => sum + length, 0);
  const theirs = await fastestPasskit(files);
  const label = `${name}, ${Math.round(size / 1000)} KB`;

  const slices = { bareSync: [], ours: [], bareAsync: [], oursAsync: [], passkit: [] };
  await slice(bareSync, 200);
  await slice(() => ours(nextPass()), 400);
  await slice(() => oursAsync(nextPass()), 400, inFlight);
  for (let round = 0; round < rounds; round += 1) {
    const turns = [
      async () => slices.bareSync.push(await slice(bareSync, 100)),
      async () => slices.ours.push(await slice(() => ours(nextPass()), 100)),
      async () => slices.bareAsync.push(await slice(bareAsync, 40 * inFlight, inFlight)),
      async () => slices.oursAsync.push(await slice(() => oursAsync(nextPass()), 40 * inFlight, inFlight)),
      async () => {
        if (round % 4 > 0) return;
        // Build once without measuring, because the first build grows the heap.
        await theirs.build(nextPass());
        slices.passkit.push(await slice(() => theirs.build(nextPass()), 3));
        // Collect the garbage now, so that the next slice does not have to.
        globalThis.gc();
      },
    ];
    // Alternate the order, so that no builder always runs after the same other builder.
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn();
  }
  record(
    label,
    slices,
    theirs,
    allocatedBytes(() => ours(nextPass())),
  );
}

function record(label, slices, theirs, allocated) {
  const of = (name, figure) => median(slices[name].map((slice) => slice[figure]));
  const cpu = (name) => of(name, 'cpu');
  const times = (name) => [cpu(name), of(name, 'wall'), 1e6 / of(name, 'wall')];
  const byRound = (name, to, figure) =>
    median(slices[name].map((slice, round) => slice[figure] / slices[to][round][figure]));
  const row = (what, figures, ...judgement) => rows.push({ label, what, figures, judgement });
  const atLeast = (value, goal, unit) => [`${value}${unit}`, `>= ${goal}${unit}`, value >= goal ? 'met' : 'MISSED'];
  const atMost = (value, goal, unit) => [`${value}${unit}`, `<= ${goal}${unit}`, value <= goal ? 'met' : 'MISSED'];

  const [sync, inTheAir] = [1 / byRound('ours', 'bareSync', 'cpu'), 1 / byRound('oursAsync', 'bareAsync', 'cpu')];
  row('crypto.sign alone, on one thread', times('bareSync'));
  row('our build, on one thread', times('ours'), ...atLeast(round3(sync), 0.92, ' of sign alone'));
  row(`crypto.sign alone, ${inFlight} in flight`, times('bareAsync'));
  row(`our build, ${inFlight} in flight`, times('oursAsync'), ...atLeast(round3(inTheAir), 0.88, ' of sign alone'));
  const p99 = ['oursAsync', 'bareAsync'].map((name) => (of(name, 'p99') / 1000).toFixed(1));
  const slower = round3(byRound('oursAsync', 'bareAsync', 'p99'));
  row(`  its p99 is ${p99[0]} ms, of crypto.sign alone ${p99[1]} ms`, [], ...atMost(slower, 1.5, ' x'));
  row(`passkit-generator 3.6.1, ${theirs.name}`, times('passkit'));
  const faster = Math.round(cpu('passkit') / cpu('oursAsync'));
  row('  its CPU to that of our build in flight', [], ...atLeast(faster, label.startsWith('S') ? 50 : 100, ' x'));
  row('allocated per package by our build', [], ...atMost(round3(allocated / 1000), 25, ' KB'));
}

/**
 * Runs `count` builds, `width` at a time. Returns the CPU of all threads and the elapsed time, both in microseconds per
 * build, and the p99 of the elapsed time.
 */
async function slice(build, count, width = 1) {
  const latencies = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const begun = process.hrtime.bigint();
      const built = build();
      if (built instanceof Promise) await built;
      latencies.push(Number(process.hrtime.bigint() - begun) / 1000);
    }
  };
  const cpuBefore = process.cpuUsage();
  const begun = process.hrtime.bigint();
  await Promise.all(Array.from({ length: width }, worker));
  const wall = Number(process.hrtime.bigint() - begun) / 1000 / count;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpu: (user + system) / count, wall, p99: percentile(latencies, 0.99) };
}

/**
 * Prepares passkit-generator in its fastest configuration: images in memory, and the faster of its two ways to start
 * from a template. Certificates and an unencrypted PKCS#1 key are PEM text, which it parses for every pass.
 */
async function fastestPasskit(files) {
  const buffers = Object.fromEntries(files.map(({ name, data }) => [name, data]));
  const certificates = {
    wwdr: signing.pem.intermediatePem,
    signerCert: signing.pem.certificatePem,
    signerKey: signing.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  };
  const template = new PKPass({ ...buffers, 'pass.json': Buffer.from(JSON.stringify(nextPass())) }, certificates);
  const ways = [
    {
      name: 'new PKPass(buffers)',
      build: (pass) =>
        new PKPass({ ...buffers, 'pass.json': Buffer.from(JSON.stringify(pass)) }, certificates).getAsBuffer(),
    },
    {
      name: 'PKPass.from(template)',
      build: async (pass) => {
        const { serialNumber, authenticationToken } = pass;
        return (await PKPass.from(template, { serialNumber, authenticationToken })).getAsBuffer();
      },
    },
  ];
  const tried = [];
  for (const way of ways) {
    await slice(() => way.build(nextPass()), 3);
    tried.push(await slice(() => way.build(nextPass()), 6));
  }
  return ways[tried[0].cpu <= tried[1].cpu ? 0 : 1];
}

/**
 * Measures the bytes of heap and buffers that one call allocates. Takes the median of rounds that are too short for a
 * garbage collection.
 */
function allocatedBytes(call) {
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const measured = Array.from({ length: 21 }, () => {
    globalThis.gc();
    const before = used();
    const stored = Array.from({ length: 50 }, call);
    return (used() - before) / stored.length;
  });
  return median(measured);
}

function opensslRate() {
  const rate = (...args) => {
    const { stdout, status } = spawnSync('openssl', ['speed', '-seconds', '2', ...args, 'rsa2048'], {
      encoding: 'utf8',
    });
    return status === 0 ? Number(/^rsa 2048 bits +\S+ +\S+ +([\d.]+)/m.exec(stdout)?.[1]) : null;
  };
  return { oneCore: rate(), allCores: rate('-multi', String(cores)) };
}

function median(values) {
  return percentile(values, 0.5);
}

function percentile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
}

function round3(value) {
  return Math.round(value * 1000) / 1000;
}

function report() {
  const heads = ['package', 'what', 'CPU us', 'wall us', 'per second', 'ratio', 'goal', ''];
  const cells = rows.map(({ label, what, figures, judgement }) => {
    const [cpu = '', wall = '', rate = ''] = figures.map((figure) => figure.toFixed(0));
    const [ratio = '', goal = '', met = ''] = judgement;
    return [label, what, cpu, wall, rate, ratio, goal, met];
  });
  const widths = heads.map((_, column) => Math.max(...[heads, ...cells].map((row) => row[column].length)));
  const padded = (cell, column) =>
    column > 1 && column < 5 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
  console.log(`Node ${process.version}, ${cores} cores (${cpus()[0]?.model}), medians of ${rounds} rounds`);
  console.log(
    openssl.oneCore
      ? `openssl speed rsa2048: ${openssl.oneCore} signatures per second on one core, ${openssl.allCores} on all`
      : 'openssl speed rsa2048: openssl is not installed',
  );
  console.log();
  for (const row of [heads, ...cells]) console.log(row.map(padded).join('  ').trimEnd());
}
