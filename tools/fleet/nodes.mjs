// Nodes of the service that can be killed and restarted. They share a database, and one address in front of them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from '../soak/lib/nodes.mjs';

const built = fileURLToPath(new URL('../../apps/api/dist/main.js', import.meta.url));

export class Nodes {
  /**
   * @param {number} count
   * @param {Record<string, string>} environment
   * @param {{ main?: string, execArgv?: string[], environmentOf?: (at: number) => Record<string, string> }} [options]
   * main: the program of a node; execArgv: the flags of Node; environmentOf: returns further variables of a node by its
   * index
   */
  constructor(count, environment, { main = built, execArgv = process.execArgv, environmentOf = () => ({}) } = {}) {
    this.environment = environment;
    this.environmentOf = environmentOf;
    this.main = main;
    this.execArgv = execArgv;
    this.children = Array.from({ length: count }, () => null);
    this.ports = [];
    this.kills = 0;
  }

  async start() {
    this.balancer = createServer((socket) => this.forward(socket));
    this.balancer.listen(0, '127.0.0.1');
    await once(this.balancer, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.balancer.address());
    this.url = `http://127.0.0.1:${port}`;
    for (let at = 0; at < this.children.length; at += 1) {
      this.ports[at] = await freePort();
      await this.startNode(at);
    }
  }

  async startNode(at) {
    const own = { ...this.environmentOf(at), PORT: String(this.ports[at]) };
    const environment = { ...process.env, ...this.environment, ...own };
    const { execArgv } = this;
    const child = fork(this.main, { env: environment, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.children[at] = child;
    while (child.exitCode === null && child.signalCode === null) {
      const ready = await fetch(`http://127.0.0.1:${this.ports[at]}/health/ready`).catch(() => null);
      if (ready?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('A node has ended at its start');
  }

  /** Kills a node with `kill -9` and starts a new process in its place. */
  async crash(at) {
    const child = this.children[at];
    this.children[at] = null;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.kills += 1;
    await this.startNode(at);
  }

  async stop() {
    for (const child of this.children) child?.kill('SIGTERM');
    await Promise.all(this.children.map((child) => child && child.exitCode === null && once(child, 'exit')));
    this.balancer.close();
  }

  /** Forwards a connection to a random node. If that node does not accept it, tries the next one. */
  forward(socket) {
    socket.on('error', () => socket.destroy());
    const order = this.ports.toSorted(() => Math.random() - 0.5);
    const attempt = () => {
      const port = order.shift();
      if (port === undefined) return socket.destroy();
      const upstream = connect(port, '127.0.0.1');
      upstream.once('error', attempt);
      upstream.once('connect', () => {
        upstream.off('error', attempt).on('error', () => socket.destroy());
        upstream.on('close', () => socket.destroy());
        socket.on('close', () => upstream.destroy());
        socket.pipe(upstream).pipe(socket);
      });
    };
    attempt();
  }
}
