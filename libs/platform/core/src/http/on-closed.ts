import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const works = new WeakMap<ServerResponse, (() => void)[]>();
/** The responses of each connection that wait behind earlier ones, because the client pipelined its requests. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Runs `work` when a response closes, or immediately if it has closed. All callbacks of a response share one listener,
 * because Node warns of a leak when there are more than ten.
 */
export function onClosed(response: ServerResponse, work: () => void): void {
  const waits = !response.socket && !response.closed && !response.writableFinished;
  if (response.closed || (waits && response.req.socket.destroyed)) return work();
  const known = works.get(response);
  if (known) {
    known.push(work);
    return;
  }
  const all = [work];
  works.set(response, all);
  response.once('close', () => {
    for (const each of all) each();
  });
  if (waits) closeWithConnection(response);
}

/** Emits `close` on a waiting pipelined response when its connection closes, because Node does not. */
function closeWithConnection(response: ServerResponse): void {
  const { socket } = response.req;
  const responses = waiting.get(socket) ?? new Set();
  if (!waiting.has(socket)) {
    waiting.set(socket, responses);
    socket.once('close', () => {
      for (const each of responses) each.emit('close');
    });
  }
  responses.add(response);
  response.once('socket', () => responses.delete(response));
}
