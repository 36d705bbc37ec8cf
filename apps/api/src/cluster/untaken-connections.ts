import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** The messages of Node's cluster module that concern connections. */
interface ClusterMessage {
  /** The outcome of sending a handle. */
  readonly cmd?: string;
  readonly act?: string;
  /** Identifies the port that the worker listens on. */
  readonly key?: string;
  /** The number of a message that expects a reply. */
  readonly seq?: number;
  /** For a reply, the number of the message that it replies to. */
  readonly ack?: number;
  /** Not 0 if the port could not be opened. */
  readonly errno?: number;
  /** False if the worker has returned a connection because it no longer listens. */
  readonly accepted?: boolean;
}

/** A connection that the primary has handed over, and the workers that listened on its port at that time. */
interface HandedOver {
  readonly connection: { close(): void };
  readonly listening: ReadonlySet<ChildProcess>;
}

/** The pause before a connection that a worker could not receive is offered again. */
const AGAIN_MS = 100;

/**
 * The workers that listen on each port. Node forgets a port when its last worker stops listening. A port that is opened
 * again gets a new set.
 */
const ports = new Map<string, Set<ChildProcess>>();

/**
 * Closes connections that no worker will handle, so that their clients do not wait forever: those that a dead worker
 * had not accepted, and those that a worker returns after the last one has stopped listening. If a worker has no file
 * handle left, its connection is offered to the workers again. Otherwise Node would wait forever for that worker's reply
 * and send it no more connections.
 */
export function handleUntaken({ process: child }: Worker): void {
  const untaken = new Map<number, HandedOver>();
  /**
   * The handles that are on their way, in order; undefined for a handle that is not a connection. Node sends the next
   * handle when the former has arrived.
   */
  const onTheirWay: (number | undefined)[] = [];
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: ClusterMessage, ...rest: unknown[]) => {
    const { act, key, seq, ack, errno } = message;
    const isConnection = key !== undefined && act === 'newconn' && seq !== undefined;
    // The argument is an object for a handle, and may be a function without one.
    if (typeof rest[0] === 'object' && rest[0] !== null) onTheirWay.push(isConnection ? seq : undefined);
    if (isConnection)
      untaken.set(seq, { connection: rest[0] as HandedOver['connection'], listening: listeningOn(key) });
    else if (key !== undefined && ack !== undefined && !errno) listeningOn(key).add(child);
    return send(message, ...rest);
  };
  child.on('internalMessage', ({ cmd, act, key, ack, accepted }: ClusterMessage) => {
    if (cmd === 'NODE_HANDLE_ACK') onTheirWay.shift();
    if (cmd === 'NODE_HANDLE_NACK') returnLater(onTheirWay.shift());
    if (act === 'close' && key !== undefined) stopListening(child, key);
    if (ack === undefined) return;
    const handedOver = untaken.get(ack);
    untaken.delete(ack);
    if (handedOver && !accepted && handedOver.listening.size === 0) handedOver.connection.close();
  });
  const returnLater = (ack: number | undefined) => {
    const giveBack = () => child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
    setTimeout(() => ack !== undefined && untaken.has(ack) && giveBack(), AGAIN_MS).unref();
  };
  let disconnected = false;
  child.once('disconnect', () => (disconnected = true));
  // All messages of the worker have been read by now.
  child.once('close', () => {
    if (!disconnected) child.emit('disconnect');
    for (const key of ports.keys()) stopListening(child, key);
    // Emit the missing reply, which makes Node close the connection.
    for (const ack of untaken.keys()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  });
}

function listeningOn(key: string): Set<ChildProcess> {
  const known = ports.get(key) ?? new Set();
  ports.set(key, known);
  return known;
}

function stopListening(child: ChildProcess, key: string): void {
  const workers = ports.get(key);
  workers?.delete(child);
  if (workers?.size === 0) ports.delete(key);
}
