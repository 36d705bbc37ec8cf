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
 * Closes the connections that a worker had not yet accepted when it died. The primary keeps a connection that it hands
 * over until the worker replies. If the worker dies before that, no reply comes, and Node does not even emit
 * `disconnect`. Node then counts the worker as alive and keeps the connection without an owner, so the client would
 * wait forever.
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
  // When the channel closes, all messages of the worker have been read.
  child.once('close', () => {
    if (!disconnected) child.emit('disconnect');
    // Emit the missing reply, which makes Node close the connection.
    for (const ack of untaken) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: true });
  });
}
