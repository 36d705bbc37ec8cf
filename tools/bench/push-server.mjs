/**
 * A push service in a separate process. By default, it is the fake of @passwright/testing, which follows Apple's rules.
 * With `least`, it does only the minimum: HTTP/2 over TLS, a client certificate, and 200 for every push with a body.
 * The message {count: n} makes it count pushes from zero and report when the first and the n-th arrive.
 */
import { createSecureServer } from 'node:http2';
import { FakeApns } from '@passwright/testing';

const { SERVER_CERTIFICATE: cert, SERVER_KEY: key, CLIENT_ROOT: ca, PUSH_SERVER: kind } = process.env;
const now = () => performance.timeOrigin + performance.now();
let count = 0;
let expected = 0;
let first = 0;
let empty = 0;
/** @type {() => void} */
let forget = () => undefined;

process.on('message', (/** @type {{ count: number }} */ message) => {
  [count, expected, empty] = [0, message.count, 0];
  forget();
  process.send('counting');
});
process.once('SIGTERM', () => process.exit());

function came(hasBody) {
  if (count === 0) first = now();
  count += 1;
  if (!hasBody) empty += 1;
  if (count === expected) process.send({ first, last: now(), empty });
}

async function fake() {
  const service = await FakeApns.start({ root: ca, server: { certificatePem: cert, privateKeyPem: key } });
  service.onPush(({ body }) => came(body !== ''));
  forget = () => service.forget();
  process.send(service.url);
}

function least() {
  const server = createSecureServer({ cert, key, ca, requestCert: true, settings: { maxConcurrentStreams: 1000 } });
  server.on('stream', (stream, headers) => {
    stream.respond(
      { ':status': 200, 'apns-id': headers['apns-id'] ?? 'BE9C7A0E-0F5A-4C3C-9B1C-6A2E3B1A7C11' },
      { endStream: true },
    );
    came(!stream.endAfterHeaders);
  });
  server.on('sessionError', () => undefined);
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    process.send(`https://127.0.0.1:${port}`);
  });
}

await (kind === 'fake' ? fake() : least());
