/*
 * A node with one worker, for the spec of `closeUntaken`. The worker closes its port while a connection is on its way,
 * and then returns the connection.
 */
import cluster from 'node:cluster';
import { readSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { closeUntaken } from './untaken-connections.js';

if (cluster.isPrimary) runPrimary();
else runWorker();

function runPrimary(): void {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const worker = cluster.fork();
  closeUntaken(worker);
  const { process: child } = worker;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: { act?: string }, ...rest: unknown[]) => {
    if (message.act === 'newconn') process.send?.('handed over');
    return send(message, ...rest);
  };
  worker.on('message', (message) => process.send?.(message));
  process.on('message', (message: string) => worker.send(message));
}

function runWorker(): void {
  const server = createServer().listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => {
    process.stdout.write('waits\n', () => {
      // Block the event loop until the spec writes a line, so that the connection arrives before the port closes.
      readSync(0, Buffer.alloc(1));
      server.close();
    });
  });
}
