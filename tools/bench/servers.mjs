/**
 * Starts the service and other servers for benchmarks, each in a separate process, and measures their CPU and memory.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../soak/lib/nodes.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// The flags that `npm start` and the container also use.
const execArgv = ['--max-semi-space-size=64'];
const TICKS_PER_SECOND = 100;
/**
 * The indexes of the CPU times in /proc/…/stat, counted after the process name. `cutime` and `cstime` are the times of
 * children that have ended.
 */
const cpuFields = { utime: 11, stime: 12, cutime: 13, cstime: 14 };

export const machine = `Node ${process.versions.node}, ${availableParallelism()} cores (${cpus()[0].model})`;

/** Runs a benchmark. At the end, stops its servers and deletes its folder `dir`. */
export async function withServers(run) {
  const servers = new Servers();
  try {
    await run(servers);
  } finally {
    await servers.stop();
  }
}

class Servers {
  dir = mkdtempSync(join(tmpdir(), 'passwright-bench-'));
  #children = [];
  #leavings = [];

  /**
   * Starts the service with a new database and data folder, unless `settings` contain others.
   * @param checkout the folder of the checkout whose build is started; default: this checkout
   * @param node the Node program that runs the service; default: the program that runs the benchmark
   */
  async startService(settings = {}, { checkout = here('../..'), node = process.execPath } = {}) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: join(this.dir, 'data'),
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      UV_THREADPOOL_SIZE: String(availableParallelism()),
      ...settings,
    };
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
    const child = this.#fork(join(checkout, 'apps/api/dist/main.js'), env, { stdio, execPath: node });
    for (;;) {
      const ready = await fetch(`${url}/health/ready`).catch(() => null);
      if (ready?.ok) return { url, pid: child.pid };
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /**
   * Starts another server or client from this folder. Its first message contains its address, or says that it is ready.
   */
  async start(script, env = {}) {
    const child = this.#fork(script, env);
    const [url] = await once(child, 'message');
    return { url, pid: child.pid, child };
  }

  /** Registers a clean-up step. The steps run in reverse order. */
  onStop(leave) {
    this.#leavings.unshift(leave);
  }

  async stop() {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    for (const leave of this.#leavings) await leave();
    rmSync(this.dir, { recursive: true });
  }

  #fork(script, env, options = {}) {
    const child = fork(resolve(here('.'), script), { execArgv, env: { ...process.env, ...env }, ...options });
    this.#children.push(child);
    return child;
  }
}

/**
 * Registers an account.
 * @returns its id, and `call`, which sends a request with an API key of the account and returns the body of the
 * response
 * @param {{ url: string }} service
 * @param {string[]} [scopes] the scopes of the key; default: those of a new key
 */
export async function openAccount({ url }, scopes) {
  const person = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Bench', accountName: 'Bench' };
  const caller = (token) => async (method, path, body) => {
    const json = body !== undefined && !(body instanceof FormData);
    const headers = {
      ...(json && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${url}${path}`, { method, headers, body: json ? JSON.stringify(body) : body });
    const reply = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${reply.message}`);
    return reply;
  };
  const { accessToken, accountId } = await caller()('POST', '/v1/auth/register', person);
  const { key } = await caller(accessToken)('POST', '/v1/auth/keys', { name: 'bench', scopes });
  return { accountId, key, call: caller(key) };
}

/** Creates or changes a template. It has the sample images of the service. */
export function saveTemplate({ call }, baseUrl, id, title) {
  const picture = (name) => `${baseUrl}/images/samples/${name}.png`;
  const look = { title, issuerName: 'Passwright', foregroundColor: '#ffffff', backgroundColor: '#123456' };
  const images = { icon: picture('icon'), logo: picture('logo'), banner: picture('banner') };
  return call('POST', `/v1/templates/${id}`, { type: 'offer', ...look, ...images });
}

/**
 * Issues passes of the template `offer`.
 * @returns their ids, and the path and the ETag of each package
 * @param url the address of the service, if it differs from its BASE_URL
 */
export async function issuePasses({ call }, count, url) {
  const issued = [];
  for (let n = 0; n < count; n += 1) {
    const { pass, walletAUrl } = await call('POST', '/v1/pass/offer', {});
    const path = new URL(walletAUrl).pathname;
    const { headers } = await fetch(new URL(path, url ?? walletAUrl), { method: 'HEAD' });
    issued.push({ id: pass.id, path, etag: headers.get('etag') });
  }
  return issued;
}

/** Returns the CPU time that these processes have used so far, in all threads. Returns NaN on systems without /proc. */
export function cpuSeconds(...pids) {
  return pids.reduce((sum, pid) => sum + secondsOf(pid, ['utime', 'stime']), 0);
}

/** Returns the CPU time that the main thread of a process has used so far; NaN where /proc is missing. */
export function eventLoopSeconds(pid) {
  return secondsOf(`${pid}/task/${pid}`, ['utime', 'stime']);
}

/**
 * Returns the CPU time that a process and its children have used so far, including children that have ended. Returns
 * NaN on systems without /proc. Use it for Postgres, whose server processes start and end with connections.
 */
export function cpuSecondsWithChildren(parent) {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').match(/\d+/g) ?? [];
    const running = children.reduce((sum, pid) => sum + (cpuSeconds(pid) || 0), 0);
    // Read the parent last, because a child that ends during the reading is then counted there.
    return running + secondsOf(parent, Object.keys(cpuFields));
  } catch {
    return NaN;
  }
}

/** Adds up CPU times of a process in /proc. Returns NaN if the process is not there. */
function secondsOf(pid, names) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return names.reduce((sum, name) => sum + Number(fields[cpuFields[name]]) / TICKS_PER_SECOND, 0);
  } catch {
    return NaN;
  }
}

/** Returns the peak resident memory of a process since the last call, in MB. Returns NaN on systems without /proc. */
export function peakMegabytes(pid) {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return Number(kilobytes) / 1024;
  } catch {
    return NaN;
  }
}
