// Calls that use files on the node, and limits for the node's process.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { smallImage, Tenant } from './tenant.mjs';

/** Makes calls that use files: uploads of new images, and the download of a package. */
export class FileCalls {
  constructor(url, ledger) {
    this.ledger = ledger;
    this.tenant = new Tenant(url, { token: ledger.token });
  }

  /** @param id the pass whose package is downloaded */
  async open(id) {
    const { body } = await this.ledger.once('GET', `/v1/pass/soak/${id}`);
    this.path = new URL(body.walletAUrl).pathname;
  }

  /** Makes each call once. @throws if one fails */
  async callAll() {
    const image = await smallImage();
    await Promise.all([this.tenant.upload(image), this.tenant.call('GET', this.path)]);
  }

  /** Returns the number of responses with each status since the last call. */
  takeStatuses() {
    const statuses = Object.fromEntries(this.tenant.statuses);
    this.tenant.statuses.clear();
    return statuses;
  }
}

/** Limits the files and sockets that a node's process may have open. */
export function limitHandles(node, count) {
  execFileSync('prlimit', ['--pid', String(node.child.pid), `--nofile=${count}:${Math.max(count, 20_000)}`]);
}

/** Opens a connection that never sends data. */
export function openSocket(port) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}
