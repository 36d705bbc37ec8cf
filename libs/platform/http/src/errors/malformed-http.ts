import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorDocUrl, type ErrorBody, onClosed } from '@passwright/core';

/** How long the server keeps reading after an error, so that the client can read the response. */
const LINGER_MS = 1000;

type Rejection = Pick<ErrorBody, 'statusCode' | 'code' | 'message'>;

const malformed: Rejection = {
  statusCode: 400,
  code: 'validation_failed',
  message: 'The request is not well-formed HTTP.',
};

const tunnel: Rejection = {
  statusCode: 405,
  code: 'method_not_allowed',
  message: 'The service opens no tunnels, so CONNECT is not a method of any path.',
};

const rejections: Readonly<Record<string, Rejection>> = {
  HPE_HEADER_OVERFLOW: {
    statusCode: 431,
    code: 'payload_too_large',
    message: 'The request line and headers are larger than 16 KiB together.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    statusCode: 413,
    code: 'payload_too_large',
    message: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    statusCode: 408,
    code: 'validation_failed',
    message: 'The request did not arrive in time.',
  },
};

/** An error of Node's HTTP parser, with the bytes of the packet that it failed on. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Responds with an error body to data that is not valid HTTP and therefore reaches no route. Then closes the
 * connection. If complete requests before the data are still in progress, they get their responses, and the data gets
 * none.
 * @param helpUrl the page that explains error codes
 */
export function rejectMalformedHttp(server: Server, helpUrl?: string): void {
  server.on('request', keepUntilClosed);
  server.on('clientError', ({ code, rawPacket }: ClientError, socket: Socket) => {
    const latest = latestUnansweredOf(socket);
    if (!socket.writable || code === 'ECONNRESET') socket.destroy();
    else if (latest) endAfter(latest, socket);
    else if (isResponding(socket)) socket.destroy();
    else reject(socket, bodyOf(rejections[code ?? ''] ?? malformed, helpUrl), isHead(rawPacket));
  });
  // Respond to CONNECT requests. Without a listener, Node would close the connection without a response.
  server.on('connect', (_request, stream) => {
    const socket = stream as Socket;
    // Handle errors of the socket, because Node has removed its own listener, and an unhandled error would end the
    // process.
    socket.on('error', () => socket.destroy());
    if (!socket.writable || isResponding(socket) || latestUnansweredOf(socket)) socket.destroy();
    else reject(socket, bodyOf(tunnel, helpUrl), false);
  });
  // Let the app respond to a missing `Host` and an unknown `Expect`, because Node's responses would have no body.
  Object.assign(server, { requireHostHeader: false });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

function bodyOf({ statusCode, code, message }: Rejection, helpUrl: string | undefined): ErrorBody {
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return { statusCode, code, error, message, ...(helpUrl !== undefined && { docUrl: errorDocUrl(code, helpUrl) }) };
}

function isHead(packet: Buffer | undefined): boolean {
  return packet?.subarray(0, 5).toString() === 'HEAD ';
}

function reject(socket: Socket, body: ErrorBody, isWithoutBody: boolean): void {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.statusCode} ${body.error}`,
    ...(body.docUrl === undefined ? [] : [`Link: <${body.docUrl}>; rel="help"`]),
    ...(body.statusCode === 405 ? ['Allow: '] : []),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  // Keep reading, because closing with unread data would reset the connection before the client gets the response.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.end(`${head.join('\r\n')}\r\n\r\n${isWithoutBody ? '' : text}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Returns true while the connection is still sending the response to an earlier request. */
function isResponding(socket: Socket): boolean {
  return (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage?.headersSent === true;
}

/** The open responses of each connection, in the order of their requests. A client may pipeline several requests. */
const openResponses = new WeakMap<Socket, Set<ServerResponse>>();

function keepUntilClosed({ socket }: IncomingMessage, response: ServerResponse): void {
  const open = openResponses.get(socket) ?? new Set();
  openResponses.set(socket, open.add(response));
  onClosed(response, () => open.delete(response));
}

/**
 * Returns the response to the latest request that has arrived completely and is still in progress. An error in the data
 * after it must not take its place.
 */
function latestUnansweredOf(socket: Socket): ServerResponse | undefined {
  const open = [...(openResponses.get(socket) ?? [])];
  return open.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
}

/** Closes the connection once the response has been sent. Discards all later data. */
function endAfter(response: ServerResponse, socket: Socket): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  response.shouldKeepAlive = false;
  // Close it explicitly, because headers that were already sent may have promised to keep it open.
  response.once('finish', () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}
