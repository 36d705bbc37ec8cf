import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '@passwright/testing';
import { masterKeys } from '../support/running-service.js';
import { ServiceProcess } from '../support/service-process.js';

/* A node with two workers, which are real processes. */

// A test starts up to three processes, and each loads the whole service.
jest.setTimeout(120_000);

const PATH = '/images/samples/icon.png';
/** The time after which a client without a response counts as stuck. */
const HUNG_MS = 10_000;
const freshConnections = new Agent({ keepAlive: false });
const keptConnections = new Agent({ keepAlive: true, maxSockets: 2 });

let dir: string;
let secretFile: string;
let node: ServiceProcess;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'passwright workers '));
  secretFile = join(dir, 'secret');
  writeSecret();
  // This variable is misspelt.
  node = await start({ MASTER_KEY: 'x' });
  await until(() => workers().length === 2);
});
afterAll(async () => {
  keptConnections.destroy();
  await node.kill();
  rmSync(dir, { recursive: true, maxRetries: 5 });
});

const writeSecret = () => writeFileSync(secretFile, 'x'.repeat(43));

async function start(
  environment: Record<string, string> = {},
  options: Parameters<typeof ServiceProcess.start>[1] = {},
): Promise<ServiceProcess> {
  const { url } = await testDatabase();
  const variables = {
    DATA_DIR: dir,
    DATABASE_URL: url,
    MASTER_KEYS: masterKeys,
    ACCESS_TOKEN_SECRET_FILE: secretFile,
    RATE_LIMIT_PER_MINUTE: '0',
    WORKERS: '2',
    ...environment,
  };
  return ServiceProcess.start(variables, options);
}

/** Forwards connections to a test database. @returns its address, and functions that reject and accept connections */
async function relayedDatabase(): Promise<{ url: string; close: () => void; open: () => void }> {
  const { url } = await testDatabase();
  const target = new URL(url);
  const relay = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    close: () => relay.close(),
    open: () => relay.listen(Number(port), '127.0.0.1'),
  };
}

/** Lists all workers so far, oldest first. */
const workers = (of = node) => of.log.filter(({ msg }) => msg === 'listening').map(({ pid }) => pid);
/** Lists the last two workers. */
const current = (of = node) => workers(of).slice(-2);
const logged = (part: string, of = node) => of.log.filter(({ msg }) => msg.includes(part));

async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await reached())) await pause(50);
}

/** Sends a request. @returns the status and the body; or the code of the error */
function send(path: string, agent: Agent): Promise<{ outcome: number | string; body: string }> {
  return new Promise((settle) => {
    const resolve = (outcome: number | string, body = '') => settle({ outcome, body });
    const sent = request(new URL(path, node.baseUrl), { agent, timeout: HUNG_MS }, (response) => {
      text(response).then(
        (body) => resolve(response.statusCode ?? 0, body),
        () => resolve('aborted'),
      );
    });
    sent.on('timeout', () => sent.destroy(Object.assign(new Error(), { code: 'HUNG' })));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end();
  });
}

const get = async (agent = freshConnections) => (await send(PATH, agent)).outcome;

/** Scrapes the metrics. @returns the value of the series whose names begin with `prefix`, summed */
async function metric(prefix: string): Promise<number> {
  const { body } = await send('/metrics', freshConnections);
  return body
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

const served = () => metric('http_request_duration_seconds_count{method="GET",route="/images/samples/:file"');

/**
 * Sends requests on several connections until `work` has ended.
 * @returns the number of each outcome
 */
async function outcomesDuring(work: () => Promise<void>): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  let ended = false;
  const lane = async (agent: Agent) => {
    while (!ended) {
      const outcome = await get(agent);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      // Leave processor time to the workers, which start meanwhile.
      await pause(1);
    }
  };
  const lanes = [freshConnections, freshConnections, keptConnections, keptConnections].map(lane);
  await work();
  ended = true;
  await Promise.all(lanes);
  return outcomes;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until a scrape counts this many workers. */
const untilWorkers = (count: number) => until(async () => (await metric('passwright_workers')) === count);

it('only the primary warns of a variable that is probably misspelt', () => {
  expect(logged('did you mean')).toEqual([
    expect.objectContaining({
      msg: expect.stringMatching(/^MASTER_KEY is not a variable .* did you mean MASTER_KEYS\?$/),
    }),
  ]);
});

it('both workers serve the port, and a scrape of either counts the requests of both', async () => {
  const before = await served();
  expect(await Promise.all(Array.from({ length: 10 }, () => get()))).toEqual(new Array(10).fill(200));
  await until(() => new Set(logged('request').map(({ pid }) => pid)).size === 2);
  expect([await served(), await served()]).toEqual([before + 10, before + 10]);
  await untilWorkers(2);
});

it('a client that waits for a killed worker gets an error, and the worker is replaced', async () => {
  const [doomed] = current();
  const [before, requests] = [workers().length, await served()];
  // A stopped worker accepts no connection, so the connection that it was assigned waits.
  process.kill(doomed!, 'SIGSTOP');
  const outcomes: (number | string)[] = [];
  for (let count = 0; count < 8; count++) void get().then((outcome) => outcomes.push(outcome));
  await until(() => outcomes.length === 7);
  // The stopped worker does not delay the scrape.
  expect(await served()).toBe(requests + 7);
  await untilWorkers(1);
  process.kill(doomed!, 'SIGKILL');
  await until(() => outcomes.length === 8);
  expect(outcomes).toEqual([...new Array(7).fill(200), 'ECONNRESET']);
  await until(() => workers().length > before);
  expect(current()).not.toContain(doomed);
  expect(await metric('passwright_worker_crashes_total')).toBe(1);
  expect(await served()).toBeGreaterThanOrEqual(requests);
});

it('SIGHUP replaces each worker without a failed request, and no counter decreases', async () => {
  const [before, requests] = [current(), await served()];
  const outcomes = await outcomesDuring(async () => {
    node.signal('SIGHUP');
    await until(() => logged('All workers have been restarted').length === 1);
  });
  expect(Object.keys(outcomes)).toEqual(['200']);
  expect(current().filter((pid) => before.includes(pid))).toEqual([]);
  expect(await served()).toBe(requests + outcomes[200]!);
});

it('SIGHUP keeps the old workers if a new worker cannot start', async () => {
  const before = workers();
  rmSync(secretFile);
  node.signal('SIGHUP');
  await until(() => logged('The other workers run on as they are').length === 1);
  writeSecret();
  expect(await get()).toBe(200);
  expect(workers()).toEqual(before);
  await untilWorkers(2);
  expect(await metric('passwright_worker_crashes_total')).toBe(2);
});

it('SIGTERM ends all workers once their requests have ended', async () => {
  const { hostname, port } = new URL(node.baseUrl);
  const client = connect(Number(port), hostname);
  client.write(
    'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
  );
  // The second request is the scrape itself.
  await until(async () => (await metric('http_requests_in_flight')) === 2);
  node.signal('SIGTERM');
  // A service manager sends the signal to every process.
  for (const pid of current()) process.kill(pid, 'SIGTERM');
  await until(async () => (await get()) === 'ECONNREFUSED');
  client.write('}');
  expect(await text(client)).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await node.ended()).toBe(0);
  await node.allEnded;
  expect(new Set(logged('stopped: SIGTERM').map(({ pid }) => pid)).size).toBe(3);
});

it('the primary gives up if its first worker cannot start, and prints the reason only once', async () => {
  const url = Object.assign(new URL((await testDatabase()).url), { pathname: '/there_is_no_such_database' }).href;
  const error = await start({ DATABASE_URL: url }).then(
    () => null,
    (failure: Error) => failure.message,
  );
  expect(error).toMatch(/^The service has ended with 1:.*cannot be used.*Worker \d+ ended before it was ready/s);
  expect(error?.match(/cannot be used/g)).toHaveLength(1);
});

describe('a node with short limits', () => {
  it('the primary kills and replaces a worker that no longer responds', async () => {
    node = await start({ ROLE: 'api' }, { args: ['--worker-ping-ms=1000', '--worker-leave-ms=5000'] });
    await until(() => workers().length === 2);
    const [stuck] = current();
    process.kill(stuck!, 'SIGSTOP');
    await until(() => workers().length === 3);
    expect(logged(`Worker ${stuck} has not responded for 6 seconds`)).toHaveLength(1);
    await untilWorkers(2);
    expect(await metric('passwright_worker_crashes_total')).toBe(1);
  });

  it('the primary counts a replacement that does not start as a crash', async () => {
    const [crashes, [doomed]] = [await metric('passwright_worker_crashes_total'), current()];
    rmSync(secretFile);
    process.kill(doomed!, 'SIGKILL');
    await until(() => logged('ended before it was ready').length > 0);
    writeSecret();
    await untilWorkers(2);
    const failed = logged('ended before it was ready').length;
    expect(await metric('passwright_worker_crashes_total')).toBe(crashes + 1 + failed);
  });

  it('the primary ends with exit code 1 if a worker does not stop in time', async () => {
    await until(() => current().every(isRunning));
    process.kill(current()[0]!, 'SIGSTOP');
    node.signal('SIGTERM');
    expect(await node.ended()).toBe(1);
    await node.allEnded;
    expect(logged('stopped: SIGTERM')).toHaveLength(2);
  });
});

const WAITS = 'The service waits for its database';

it('the primary kills a replacement that hangs while it starts, but not one that waits for its database', async () => {
  const database = await relayedDatabase();
  const args = ['--worker-ping-ms=1000', '--worker-start-ms=20000'];
  node = await start({ DATABASE_URL: database.url, ROLE: 'api' }, { args });
  await until(() => workers().length === 2);
  database.close();
  const waiting = () => [...new Set(logged(WAITS).map(({ pid }) => pid))];
  const [first, second] = current();
  process.kill(first!, 'SIGKILL');
  await until(() => waiting().length === 1);
  process.kill(second!, 'SIGKILL');
  await until(() => waiting().length === 2);
  const [patient, hung] = waiting();
  process.kill(hung!, 'SIGSTOP');
  await until(() => logged('was not ready within').length > 0);
  expect(logged('was not ready within').map(({ msg }) => msg)).toEqual([
    `Worker ${hung} was not ready within 20 seconds and is killed`,
  ]);
  database.open();
  await until(() => workers().length === 4);
  expect(current()).toContain(patient);
  await node.kill();
  await node.allEnded;
  database.close();
});

it('a worker that waits for its database ends if its primary is killed', async () => {
  const database = await relayedDatabase();
  database.close();
  node = await start({ DATABASE_URL: database.url }, { until: WAITS });
  // The worker listens before it logs this again.
  await until(() => logged(WAITS).length > 1);
  await node.kill();
  await node.allEnded;
  expect(workers()).toEqual([]);
});

it('all workers end if the primary is killed while the second worker starts', async () => {
  const database = await relayedDatabase();
  node = await start({ DATABASE_URL: database.url });
  database.close();
  await until(() => logged(WAITS).length > 0);
  await node.kill();
  await node.allEnded;
  expect([workers().length, logged('stopped: the process that started it has ended').length]).toEqual([1, 1]);
});

it('the primary gives up if no worker is left and a new worker cannot start', async () => {
  node = await start({ ROLE: 'worker' });
  await until(() => workers().length === 2);
  rmSync(secretFile);
  for (const pid of current()) process.kill(pid, 'SIGKILL');
  // While starts are slow, a worker is always starting. So the primary gives up only when the pauses have become longer
  // than the starts.
  expect(await node.ended()).toBe(1);
  writeSecret();
}, 300_000);
