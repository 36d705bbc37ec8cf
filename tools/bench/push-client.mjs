/**
 * Sends pushes to a given number of devices, `window` at a time. Uses `node:http2` directly, the service's own client
 * without the service, or node-apn.
 */
import { connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import apn from '@parse/node-apn';
import { ApnsPush } from '../../libs/providers/apple-push/dist/apns-push.js';

const { PUSH_URL: url, PUSH_TOPIC: topic, CLIENT_CERTIFICATE: cert, CLIENT_KEY: key, SERVER_ROOT: ca } = process.env;
const window = 500;
const tokens = (count) => Array.from({ length: count }, (_, n) => n.toString(16).padStart(64, 'a'));

/** Pushes with plain `node:http2`, which is the upper limit for Node. */
function bare() {
  const session = connect(url, { cert, key, ca });
  return inLanes(
    (token) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': `/3/device/${token}`,
          'apns-topic': topic,
          'apns-push-type': 'background',
          'apns-priority': '5',
        });
        stream.on('error', reject).on('close', resolve);
        stream.on('response', (headers) => headers[':status'] !== 200 && reject(new Error(String(headers[':status']))));
        stream.resume();
        stream.end('{}');
      }),
  );
}

function own() {
  const subject = { passTypeIdentifier: topic, teamIdentifier: 'DEV0TEAM01', organizationName: 'Benchmark' };
  const pems = { certificatePem: cert, privateKeyPem: key, intermediatePem: '' };
  const credential = { ...subject, ...pems, expiresAt: new Date('2036-12-31T23:00:00.000Z') };
  const credentials = { of: async () => ({ ...credential, fingerprint: topic, development: false }) };
  const client = new ApnsPush({ url, ca }, credentials, { now: () => new Date() });
  return async (tokens) => {
    for (const response of await client.pushAll('account', tokens)) {
      if (response?.outcome !== 'accepted') throw new Error(`${response?.outcome}: ${response?.reason}`);
    }
  };
}

/**
 * Pushes with node-apn. With an Apple production certificate, node-apn connects only to Apple's own address, so this
 * function opens the connection itself. Node-apn sends no body for the payload `{}` of a pass, so this payload has a
 * property.
 */
function nodeApn() {
  const { port, hostname } = new URL(url);
  const createConnection = () =>
    connectTls({ host: hostname, port: Number(port), cert, key, ca, ALPNProtocols: ['h2'] });
  const options = { cert, key, production: true, createConnection };
  const provider = new apn.Provider(/** @type {apn.ProviderOptions} */ (options));
  const notification = new apn.Notification();
  Object.assign(notification, { topic, pushType: 'background', priority: 5, rawPayload: { a: 1 } });
  return inLanes(async (token) => {
    const { failed } = await provider.send(notification, token);
    if (failed.length > 0) throw failed[0].error ?? new Error(JSON.stringify(failed[0]));
  });
}

/** Runs pushes in `window` parallel lanes. */
function inLanes(push) {
  return (tokens) => {
    const waiting = tokens.values();
    const lane = async () => {
      for (const token of waiting) await push(token);
    };
    return Promise.all(Array.from({ length: window }, lane));
  };
}

const pushAll = { bare, own, 'node-apn': nodeApn }[process.env.PUSH_CLIENT]();
process.on('message', async ({ count }) => {
  await pushAll(tokens(count));
  process.send('done');
});
process.once('SIGTERM', () => process.exit());
process.send('ready');
