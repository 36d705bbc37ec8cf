// Runs HAProxy in place of the Service and the gateway of a Kubernetes cluster, which send requests to pods.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from './nodes.mjs';

const HAPROXY = '/usr/sbin/haproxy';
/** The modes of HAProxy: one forwards connections, like a Service; the other forwards requests, like a gateway. */
const modes = { connections: 'tcp', requests: 'http' };

/**
 * Two proxies in front of pods. They never repeat a request and make no health checks. They know only the pods that the
 * test adds.
 */
export class PodProxies {
  /** The addresses of both proxies, in the order of `modes`. */
  urls = [];
  socket = '';

  /**
   * Starts the proxies without any pod.
   * @param {number[]} ports the ports of all pods, including those that start later
   */
  static async start(stage, ports) {
    const proxies = new PodProxies();
    proxies.socket = join(stage.dataDir, 'haproxy.sock');
    const addresses = await Promise.all(Object.keys(modes).map(() => freePort()));
    proxies.urls = addresses.map((port) => `http://127.0.0.1:${port}`);
    const sections = Object.entries(modes).map(
      ([name, mode], at) => `listen ${name}
  mode ${mode}
  bind 127.0.0.1:${addresses[at]}
  balance roundrobin
${ports.map((port) => `  server pod${port} 127.0.0.1:${port} disabled`).join('\n')}
`,
    );
    const file = join(stage.dataDir, 'haproxy.cfg');
    writeFileSync(
      file,
      `global
  stats socket ${proxies.socket} mode 600 level admin
defaults
  retries 0
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout http-request 1h
${sections.join('')}`,
    );
    const child = spawn(HAPROXY, ['-q', '-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    stage.later(() => child.kill());
    return proxies;
  }

  /** Starts sending requests to a pod. */
  add({ node }) {
    return this.#set(node.port, 'ready');
  }

  /** Stops sending new connections to a pod. Open connections stay. */
  remove({ node }) {
    return this.#set(node.port, 'drain');
  }

  async #set(port, state) {
    for (const name of Object.keys(modes)) {
      const socket = connect(this.socket);
      await once(socket, 'connect');
      socket.end(`set server ${name}/pod${port} state ${state}\n`);
      const complaint = (await text(socket)).trim();
      if (complaint) throw new Error(`HAProxy: ${complaint}`);
    }
  }
}
