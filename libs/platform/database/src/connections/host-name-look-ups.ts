import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { Socket } from 'node:net';

type Found = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** The callers that wait for each look-up, by host name and options. */
const running = new Map<string, Found[]>();

/**
 * Looks up a host name like `dns.lookup`. Equal look-ups that run at the same time share one. Node runs only two
 * look-ups at a time on a thread pool of four. So if names are slow, a pool that has lost all its connections would
 * otherwise need many times as long to open new ones.
 */
function lookUpTogether(host: string, options: LookupOptions, found: Found): void {
  const key = JSON.stringify([host, options]);
  const waiting = running.get(key);
  if (waiting) return void waiting.push(found);
  const callers = [found];
  running.set(key, callers);
  dns.lookup(host, options, (...outcome) => {
    running.delete(key);
    for (const caller of callers) caller(...outcome);
  });
}

/** Returns a socket for `pg` that shares the look-ups of its host name with other such sockets. */
export function socketWithSharedNames(): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  return Object.assign(socket, {
    // pg passes the port and the name, or only the path of a Unix socket.
    connect: (place: number | string, host?: string) =>
      typeof host === 'string'
        ? connect({ port: Number(place), host, lookup: lookUpTogether })
        : connect(place as string),
  });
}
