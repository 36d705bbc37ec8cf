/**
 * Causes errors of the image store, one after the other, while clients write, upload images and download packages. The
 * store is first a folder on a small disk of its own, and then an S3 bucket behind a port that misbehaves.
 *
 * Fails on:
 * - a pass that is rejected, because passes do not need the store
 * - an upload that does not succeed within 10 s after an error has ended
 * - an accepted image that the node does not serve afterwards
 * - a 5xx other than 503 with Retry-After
 * - a lost or duplicated write, and a node that ends
 *
 *   npm run soak:storage-faults -- [seconds of each error, default 15] [names of errors]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bucketVariables, secrets } from './lib/engines.mjs';
import { StoredImages } from './lib/stored-images.mjs';
import { Ledger } from './lib/ledger.mjs';
import { every } from './lib/overload.mjs';
import { BrokenPort } from './lib/outside-services.mjs';
import { countStatuses, requireServer, soak, within } from './lib/stage.mjs';
import { TestBucket } from '@passwright/testing';

const [, , seconds = '15', ...wanted] = process.argv;
const RECOVERY_SECONDS = 10;
const DISK_MB = 64;

requireServer();
await soak(async (stage) => {
  const cluster = await stage.cluster();
  const disk = smallDisk(stage);
  if (disk) await stageErrors(stage, cluster, disk);
  else console.log('disk full: SKIPPED, only root may mount the small disk that it needs');
  await stageErrors(stage, cluster, await brokenBucket(stage));
});

/** Mounts a small disk as the folder of the images. @returns null if this process may not mount a disk */
function smallDisk(stage) {
  const folder = join(stage.dataDir, 'storage');
  mkdirSync(folder, { recursive: true });
  const size = `size=${DISK_MB}m`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]).status !== 0) return null;
  stage.later(() => execFileSync('umount', ['--lazy', folder]));
  const fill = join(folder, 'fill');
  return {
    environment: {},
    problems: {
      // The command ends when the disk is full.
      'disk full': [
        () => spawnSync('dd', ['if=/dev/zero', `of=${fill}`, 'bs=64k'], { stdio: 'ignore' }),
        () => rmSync(fill),
      ],
      'disk read-only': [() => remount('ro', folder), () => remount('rw', folder)],
    },
  };
}

function remount(mode, folder) {
  execFileSync('mount', ['-o', `remount,${mode},size=${DISK_MB}m`, folder]);
}

async function brokenBucket(stage) {
  const bucket = await TestBucket.start();
  const port = new BrokenPort();
  await port.listen(Number(new URL(bucket.endpoint).port));
  stage.later(() => bucket.stop());
  stage.later(() => port.close());
  const kinds = ['reject', 'hang', 'garbage', 'reset', 'cut', 'drip'];
  const problems = kinds.map((kind) => [`S3, ${kind}`, [() => port.begin(kind), () => port.begin('none')]]);
  const at = { name: bucket.name, endpoint: `http://${port.host}`, credentials: bucket.credentials };
  return {
    environment: { ...bucketVariables(at), ...secrets(), DATA_DIR: join(stage.dataDir, 'with-bucket') },
    problems: Object.fromEntries(problems),
  };
}

/** Causes the wanted errors of one store, one after the other. */
async function stageErrors(stage, cluster, { environment, problems }) {
  const isWanted = (name) => wanted.length === 0 || wanted.some((each) => name.includes(each));
  const staged = Object.entries(problems).filter(([name]) => isWanted(name));
  if (staged.length === 0) return;
  const database = `store_with_${Object.keys(problems).length}_errors`;
  cluster.sql(`CREATE DATABASE ${database}`);
  const DATABASE_URL = Object.assign(new URL(cluster.url), { pathname: database }).href;
  const [node] = await stage.nodes(1, { DATABASE_URL, ...environment });
  const ledger = new Ledger([node.url]);
  await ledger.open();
  const images = new StoredImages(node, ledger);
  await images.open();
  ledger.start(4, 4);
  for (const [name, [begin, end]] of staged) await stageError(stage, name, { node, ledger, images, begin, end });
  await ledger.stop();
  stage.checkWrites(ledger, (text) => cluster.sql(text, database));
  const wrong = await images.wrong();
  console.log(`images: ${images.accepted.size} accepted, ${wrong} are not served`);
  stage.check(images.accepted.size > 0 && wrong === 0, `${wrong} of ${images.accepted.size} images are not served`);
  for (const problem of images.tenant.problems) stage.failures.add(problem);
  await node.stop();
}

async function stageError(stage, name, { node, ledger, images, begin, end }) {
  await images.upload();
  images.tenant.statuses.clear();
  const from = performance.now();
  await begin();
  const signal = AbortSignal.timeout(Number(seconds) * 1000);
  const calls = ['upload', 'download', 'serve'].map((call) => every(300, () => images[call](), signal));
  await pause(Number(seconds) * 1000);
  const [live, ready] = [await node.health('live'), await node.health()];
  await end();
  const recovery = await within(RECOVERY_SECONDS, async () => {
    await images.upload();
    await images.download();
    return true;
  });
  await Promise.all(calls);
  const statuses = countStatuses(ledger.since(from));
  const passes = ledger.since(from).filter(({ status }) => status !== 201).length;
  console.log(
    `${name.padEnd(15)} recovery ${recovery.toFixed(1)} s, live ${live}, ready ${ready}, passes`,
    statuses,
    'files',
    Object.fromEntries(images.tenant.statuses),
  );
  stage.check(recovery < Infinity, `${name}: uploads have not recovered after ${RECOVERY_SECONDS} s`);
  stage.check(live === 200 && !node.ended, `${name}: the node is not live`);
  stage.check(passes === 0, `${name}: ${passes} passes were rejected`);
}
