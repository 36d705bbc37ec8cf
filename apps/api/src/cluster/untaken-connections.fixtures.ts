/*
 * A node with one worker, for the spec of `handleUntaken`. At the message `close`, the worker closes its port while a
 * connection is on its way, and then returns the connection. At `use up handles`, it cannot receive connections until
 * `free handles`. At `send a server first`, the primary sends a server before the next connection, and the worker can
 * receive only the server.
 */
import cluster from 'node:cluster';
import { closeSync, openSync, readSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { handleUntaken } from './untaken-connections.js';

if (cluster.isPrimary) runPrimary();
else runWorker();

function runPrimary(): void {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  const worker = cluster.fork();
  handleUntaken(worker);
  const { process: child } = worker;
  const other = createServer().listen(0, '127.0.0.1');
  let sendsOther = false;
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: { act?: string }, ...rest: unknown[]) => {
    if (message.act === 'newconn') {
      process.send?.('handed over');
      if (sendsOther) send('server', other);
      sendsOther = false;
    }
    return send(message, ...rest);
  };
  worker.on('message', (message) => process.send?.(message));
  process.on('message', (message: string) => {
    sendsOther ||= message === 'send a server first';
    worker.send(message);
  });
}

function runWorker(): void {
  const server = createServer((socket) => socket.end('served'));
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  const handles: number[] = [];
  const messages: Record<string, () => void> = {
    close: () => {
      process.stdout.write('waits\n', () => {
        // Block the event loop until the spec writes a line, so that the connection arrives before the port closes.
        readSync(0, Buffer.alloc(1));
        server.close();
      });
    },
    'use up handles': () => {
      useUp(handles);
      process.send?.('used up');
    },
    'send a server first': () => {
      useUp(handles);
      closeSync(handles.pop()!);
      process.send?.('used up');
    },
    'free handles': () => {
      for (const handle of handles.splice(0)) closeSync(handle);
    },
  };
  process.on('message', (message: string) => messages[message]?.());
}

/** Opens files until the system rejects another one. */
function useUp(handles: number[]): void {
  try {
    for (;;) handles.push(openSync('/dev/null', 'r'));
  } catch {
    // There is no handle left.
  }
}
