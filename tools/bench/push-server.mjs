// The least that a push service does, in a process of its own: HTTP/2 over TLS, a client certificate, 200 to every push that
// has a body. Told {count: n}, it counts from the next push on and says when the first and the n-th came.
import { createSecureServer } from 'node:http2';

const { SERVER_CERTIFICATE: cert, SERVER_KEY: key, CLIENT_ROOT: ca } = process.env;
const server = createSecureServer({ cert, key, ca, requestCert: true, settings: { maxConcurrentStreams: 1000 } });
const now = () => performance.timeOrigin + performance.now();
let count = 0;
let expected = 0;
let first = 0;
let empty = 0;

process.on('message', (message) => {
  [count, expected, empty] = [0, message.count, 0];
  process.send('counting');
});
server.on('stream', (stream, headers) => {
  if (count === 0) first = now();
  count += 1;
  if (stream.endAfterHeaders) empty += 1;
  stream.respond(
    { ':status': 200, 'apns-id': headers['apns-id'] ?? 'BE9C7A0E-0F5A-4C3C-9B1C-6A2E3B1A7C11' },
    { endStream: true },
  );
  if (count === expected) process.send({ first, last: now(), empty });
});
server.on('sessionError', () => undefined);
server.listen(0, '127.0.0.1', () => process.send(`https://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit());
