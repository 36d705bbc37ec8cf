// Nodes of the service as separate processes on a given database.
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The flags of Node that the service also has in production (tools/start.mjs and docker/Dockerfile). */
const FLAGS = ['--max-semi-space-size=64'];
const built = fileURLToPath(new URL('../../../apps/api/dist/main.js', import.meta.url));

export async function freePort() {
  for (;;) {
    // Use ports below 32767. Otherwise, the system may give a node's port to another program while the node is down.
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    if (!(await once(server, 'listening').catch(() => null))) continue;
    server.close();
    return port;
  }
}

/**
 * Starts nodes one after the other, each when the previous one is ready. The default BASE_URL is the address of the
 * first node.
 * @param {number} count
 * @param {Record<string, string>} environment the variables of every node: DATABASE_URL, DATA_DIR and others
 * @param {{ main?: string, execArgv?: string[], env?: (at: number) => Record<string, string> }} options
 */
export async function startNodes(count, environment, { main = built, execArgv = [], env = () => ({}) } = {}) {
  const nodes = [];
  for (let at = 0; at < count; at += 1) {
    const port = await freePort();
    // All nodes have the same BASE_URL, so that each accepts tokens that another node has issued.
    const BASE_URL = nodes[0]?.url ?? `http://127.0.0.1:${port}`;
    const node = new ServiceNode(port, { BASE_URL, ...environment, ...env(at) }, main, execArgv);
    nodes.push(node);
    node.start();
    await node.ready();
  }
  return nodes;
}

export class ServiceNode {
  constructor(port, environment, main = built, execArgv = []) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.environment = { RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn', ...environment, PORT: String(port) };
    this.main = main;
    this.execArgv = execArgv;
    /** The last lines of the node's log, at most 2,000. */
    this.log = [];
  }

  start() {
    const env = { ...process.env, ...this.environment };
    this.child = fork(this.main, {
      env,
      execArgv: [...FLAGS, ...this.execArgv],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.log.push(...text.split('\n').filter(Boolean));
        this.log.splice(0, Math.max(0, this.log.length - 2000));
      });
    }
  }

  get ended() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The memory of the process, in MB. */
  get memoryMb() {
    if (this.ended) return 0;
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  }

  /** The processor time of the process so far, in seconds. */
  get cpuSeconds() {
    return secondsIn(`/proc/${this.child.pid}/stat`);
  }

  /** The processor time of the event loop's thread so far, in seconds. */
  get loopSeconds() {
    return secondsIn(`/proc/${this.child.pid}/task/${this.child.pid}/stat`);
  }

  /**
   * Requests a health route.
   * @returns its status, or 0 if the node does not respond in time
   */
  async health(name = 'ready', withinMs = 12_000) {
    const response = await fetch(`${this.url}/health/${name}`, { signal: AbortSignal.timeout(withinMs) }).catch(
      () => null,
    );
    await response?.body?.cancel();
    return response?.status ?? 0;
  }

  async ready(withinMs = 120_000) {
    const until = Date.now() + withinMs;
    while (Date.now() < until) {
      if (this.ended) throw new Error(`A node has ended:\n${this.log.slice(-10).join('\n')}`);
      if ((await this.health()) === 200) return;
      await pause(50);
    }
    throw new Error(`A node is not ready after ${withinMs} ms:\n${this.log.slice(-10).join('\n')}`);
  }

  /** @param {NodeJS.Signals} [signal] */
  async kill(signal = 'SIGKILL') {
    if (!this.child || this.ended) return;
    this.child.kill(signal);
    await once(this.child, 'exit');
  }

  stop() {
    return this.kill('SIGTERM');
  }
}

/** Reads the processor time of a process or a thread from a file in /proc. */
function secondsIn(file) {
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ');
  const TICKS_PER_SECOND = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
