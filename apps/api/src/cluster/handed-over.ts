import type { Worker } from 'node:cluster';

/** The messages of Node's cluster module that concern connections. */
interface ClusterMessage {
  readonly act?: string;
  /** The number of a message that wants a reply. */
  readonly seq?: number;
  /** The number of the message that this one replies to. */
  readonly ack?: number;
}

/**
 * Closes the connections that a worker had not taken when it died. The primary keeps a connection that it hands over
 * until the worker has replied. If the worker dies before that, no reply comes and Node does not even emit
 * `disconnect`: it keeps the connection without an owner, so that its client would wait forever, and counts the worker
 * as alive.
 */
export function closeUntaken({ process: child }: Worker): void {
  const untaken = new Set<number>();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: ClusterMessage, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined) untaken.add(message.seq);
    return send(message, ...rest);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) untaken.delete(ack);
  });
  let disconnected = false;
  child.once('disconnect', () => (disconnected = true));
  // The channel closes after every message of the worker has been read.
  child.once('close', () => {
    if (!disconnected) child.emit('disconnect');
    // A reply in the place of the missing one makes Node close the connection.
    for (const ack of untaken) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  });
}
