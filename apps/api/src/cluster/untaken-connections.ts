import type { ChildProcess } from 'node:child_process';
import type { Worker } from 'node:cluster';

/** The messages of Node's cluster module that concern connections. */
interface ClusterMessage {
  readonly act?: string;
  /** Identifies the port that the worker listens on. */
  readonly key?: string;
  /** The number of a message that expects a reply. */
  readonly seq?: number;
  /** The number of the message that this one replies to. */
  readonly ack?: number;
  /** Not 0 if the port could not be opened. */
  readonly errno?: number;
  /** False if the worker has returned a connection because the worker no longer listens. */
  readonly accepted?: boolean;
}

/** A connection that the primary has handed over, and the workers that listened on its port at that time. */
interface HandedOver {
  readonly connection: { close(): void };
  readonly listening: ReadonlySet<ChildProcess>;
}

/**
 * The workers that listen on each port. When the last of them stops listening, Node forgets the port, and no longer
 * handles connections that a worker returns later. So a port that is opened again gets a new set.
 */
const ports = new Map<string, Set<ChildProcess>>();

/**
 * Closes the connections that no worker will ever handle, so that their clients do not wait forever:
 *
 * - those that a worker had not yet accepted when it died. The primary keeps a connection that it hands over until
 *   the worker replies. If the worker dies before that, no reply comes, and Node does not even emit `disconnect`.
 * - those that a worker returns after the last worker has stopped listening on the port. This happens when the
 *   service replaces the server that responds during the start of the service.
 */
export function closeUntaken({ process: child }: Worker): void {
  const untaken = new Map<number, HandedOver>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: ClusterMessage, ...rest: unknown[]) => {
    const { act, key, seq, ack, errno } = message;
    if (key !== undefined && act === 'newconn' && seq !== undefined) {
      untaken.set(seq, { connection: rest[0] as HandedOver['connection'], listening: listeningOn(key) });
    } else if (key !== undefined && ack !== undefined && !errno) listeningOn(key).add(child);
    return send(message, ...rest);
  };
  child.on('internalMessage', ({ act, key, ack, accepted }: ClusterMessage) => {
    if (act === 'close' && key !== undefined) stopListening(child, key);
    if (ack === undefined) return;
    const handedOver = untaken.get(ack);
    untaken.delete(ack);
    if (handedOver && !accepted && handedOver.listening.size === 0) handedOver.connection.close();
  });
  let disconnected = false;
  child.once('disconnect', () => (disconnected = true));
  // When the channel closes, all messages of the worker have been read.
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
