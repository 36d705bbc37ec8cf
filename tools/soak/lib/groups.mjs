// Two groups of nodes, each with a Postgres of its own, behind HAProxy with the configuration in docker/groups.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { freePort } from './nodes.mjs';
import { operate } from './operator.mjs';
import { within } from './stage.mjs';

const HAPROXY = '/usr/sbin/haproxy';
const configuration = fileURLToPath(new URL('../../../docker/groups/haproxy.cfg', import.meta.url));
const program = fileURLToPath(new URL('../../../apps/api/dist/operator.js', import.meta.url));
const START_SECONDS = 20;
const names = ['group_a', 'group_b'];

/** Starts HAProxy with a configuration and its variables. @returns its address and process, once a node responds */
export async function startHaProxy(stage, file, variables) {
  const ADDRESS = `127.0.0.1:${await freePort()}`;
  const env = { ...process.env, ...variables, ADDRESS };
  const child = spawn(HAPROXY, ['-q', '-db', '-f', file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  stage.later(() => child.kill());
  const url = `http://${ADDRESS}`;
  const took = await within(START_SECONDS, async () => (await fetch(`${url}/health/live`)).ok);
  if (took === Infinity) throw new Error(`No node responds through HAProxy with ${file}.`);
  return { url, pid: child.pid };
}

export class Groups {
  /** The environment variables of the groups. `files` contains the paths of files with the same variables. */
  environments = [];
  files = [];
  clusters = [];
  nodes = [];
  /** @type {{ url: string, pid?: number }} */
  proxy = { url: '' };
  #socket = '';
  #map = '';

  /** Starts a node for each group, and the proxy. @param environment of all nodes */
  static async start(stage, environment) {
    const groups = new Groups();
    for (const name of names) {
      const cluster = await stage.cluster();
      const own = { BASE_URL: environment.BASE_URL, DATABASE_URL: cluster.url, DATA_DIR: stage.dataDir };
      const file = join(stage.dataDir, `${name}.env`);
      writeFileSync(
        file,
        Object.entries(own)
          .map(([key, value]) => `${key}="${value}"\n`)
          .join(''),
      );
      groups.clusters.push(cluster);
      groups.environments.push(own);
      groups.files.push(file);
      // The first group is the existing installation. Prepare each further group from it.
      if (name !== names[0]) operate(groups.environments[0], 'move', 'prepare', '--to', file);
      groups.nodes.push(...(await stage.nodes(1, { ...environment, ...own })));
    }
    await groups.#startProxy(stage);
    return groups;
  }

  get url() {
    return this.proxy.url;
  }

  async #startProxy(stage) {
    this.#socket = join(stage.dataDir, 'haproxy.sock');
    this.#map = join(stage.dataDir, 'routes.map');
    const [GROUP_A, GROUP_B] = this.nodes.map((node) => `127.0.0.1:${node.port}`);
    writeFileSync(this.#map, '');
    const variables = { GROUP_A, GROUP_B, ROUTES: this.#map, SOCKET: this.#socket };
    this.proxy = await startHaProxy(stage, configuration, variables);
  }

  /**
   * Runs one step of moving an account to the other group.
   * @param killAfterMs kills the command after this time; 0 never
   * @returns the command's output, or null if it was killed
   */
  move(from, step, accountId, killAfterMs = 0) {
    return this.#operate(from, [step, accountId, '--to', this.files[1 - from]], killAfterMs);
  }

  /** Runs a command asynchronously, so that the clients in this process can continue. */
  async #operate(group, words, killAfterMs = 0) {
    const env = { ...process.env, ...this.environments[group], LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, [program, 'move', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = killAfterMs > 0 && setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    const [out, complaints, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    clearTimeout(timer);
    if (signal) return null;
    if (code !== 0) throw new Error(`move ${words[0]}: ${complaints}`);
    return out;
  }

  /** Sends an account's requests to a group. The command runs on `holder`, the group that stores the account. */
  async route(accountId, holder, to) {
    const lines = await this.#operate(holder, ['routes', accountId, names[to]]);
    for (const line of lines.trim().split('\n')) {
      const [key] = line.split(' ');
      await this.#command(`del map ${this.#map} ${key}`);
      await this.#command(`add map ${this.#map} ${line}`);
    }
  }

  async #command(line) {
    const socket = connect(this.#socket);
    socket.end(`${line}\n`);
    return text(socket);
  }
}
