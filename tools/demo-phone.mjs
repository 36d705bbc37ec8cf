/**
 * npm run demo:phone: shows a pass on a virtual iPhone, changes the pass with one PATCH, and shows the text on the lock
 * screen. The service, the push service and the phone all run on this machine. libs/testing/README.md shows how to test
 * your own web service in the same way.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliverPushes, FakeApns, testCertificates, VirtualIPhone } from '@passwright/testing';
import { Nodes } from './fleet/nodes.mjs';

const publicUrl = 'https://passes.example.com';
const dataDir = mkdtempSync(join(tmpdir(), 'passwright-phone-'));
const certificates = testCertificates();
const certificate = certificates.pass({ passTypeIdentifier: 'pass.com.example.demo' });
const apns = await FakeApns.start({ root: certificates.rootPem });
const service = new Nodes(1, {
  BASE_URL: publicUrl,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'error',
  APPLE_CERTIFICATE: certificate.certificatePem,
  APPLE_PRIVATE_KEY: certificate.privateKeyPem,
  APPLE_INTERMEDIATE: certificate.intermediatePem,
  APPLE_PUSH_URL: apns.url,
  APPLE_PUSH_CA: apns.ca,
});
await service.start();
// The pass contains the public address of the service. The phone sends its requests to this machine instead.
const phone = VirtualIPhone.create({ roots: [certificates.rootPem], route: () => service.url });
const delivery = deliverPushes(apns, [phone]);

const password = randomBytes(12).toString('base64url');
const person = { email: 'ada@example.com', password, name: 'Ada', accountName: 'Demo Air' };
/** The access token. It is empty until the account is registered. */
let token = '';
token = (await call('POST', '/v1/auth/register', person)).accessToken;
const image = (name) => `${publicUrl}/images/samples/${name}.png`;
const look = { foregroundColor: '#ffffff', backgroundColor: '#1f2a44', icon: image('icon'), logo: image('logo') };
const template = { ...look, banner: image('banner'), type: 'offer', title: 'Boarding', issuerName: 'Demo Air' };
await call('POST', '/v1/templates/boarding', template);
const gate = (value) => ({ fields: [{ key: 'gate', label: 'Gate', value }] });
const { pass, walletAUrl } = await call('POST', '/v1/pass/boarding', gate('A1'));
say('issued', pass.id);

const download = await fetch(service.url + new URL(walletAUrl).pathname);
const added = await phone.add(Buffer.from(await download.arrayBuffer()));
say('added to the phone', `verified and registered: ${added.registered}`);

const { notifications } = await call('PATCH', `/v1/pass/boarding/${pass.id}`, gate('B2'));
say('changed', `phones will say: ${notifications.walletA[0].message}`);
const push = await apns.nextPush();
await delivery.settled();
say('pushed', `apns-id ${push.apnsId}`);
say('on the lock screen', phone.notifications[0].text);

const trace = await call('GET', `/v1/pass/boarding/${pass.id}/delivery`);
say('delivery trace', `${trace.devices[0].verdict}. ${trace.devices[0].explanation}`);

await delivery.stop();
await phone.close();
await service.stop();
await apns.stop();
rmSync(dataDir, { recursive: true });

function say(step, detail) {
  console.log(`  ✓ ${step.padEnd(20)} ${detail}`);
}

async function call(method, path, body) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(service.url + path, { method, headers, body: body && JSON.stringify(body) });
  const reply = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${reply.message}`);
  return reply;
}
