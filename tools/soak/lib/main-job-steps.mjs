/**
 * The main steps of an integration, in their natural order. A step throws if its result is missing. The later steps run
 * nevertheless.
 */
import { randomUUID } from 'node:crypto';
import { VirtualIPhone } from '@passwright/testing';
import { scopes } from './access-rules.mjs';
import { within } from './stage.mjs';

const SECONDS = 30;
const BATCH = 5000;
const BATCH_SECONDS = 120;
const path = '/v1/pass/soak/held';

/** @type {Record<string, (job: any) => Promise<void>>} */
export const steps = {
  'register an account': async (job) => {
    job.person = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Ada' };
    const { body } = await job.ledger.once('POST', '/v1/auth/register', { ...job.person, accountName: 'Soak' });
    job.ledger.token = body.accessToken;
  },
  'log in': async (job) => {
    const { email, password } = job.person;
    const { body } = await withToken(job, undefined, () =>
      job.ledger.once('POST', '/v1/auth/login', { email, password }),
    );
    job.session = body;
    job.ledger.token = body.accessToken;
  },
  'renew the session': async (job) => {
    const { refreshToken } = job.session;
    const { body } = await job.ledger.once('POST', '/v1/auth/refresh', { refreshToken });
    job.ledger.token = body.accessToken;
  },
  'create an API key': async (job) => {
    job.session.accessToken = job.ledger.token;
    job.ledger.token = (await job.ledger.once('POST', '/v1/auth/keys', { name: 'soak', scopes })).body.key;
  },
  'create a webhook': async (job) => {
    const { body } = await job.ledger.once('POST', '/v1/webhooks', { url: job.receiver.url });
    job.webhookId = body.id;
  },
  'save a template': (job) => job.ledger.saveTemplate('soak'),
  'create a pass': async (job) => {
    job.pass = (await job.ledger.once('POST', '/v1/pass/soak', { id: 'held', ...points(0) })).body;
  },
  'download its package': async (job) => {
    const response = await fetch(job.node.url + pathOf(job.pass.walletAUrl));
    equal(response.status, 200, 'the status');
    job.package = Buffer.from(await response.arrayBuffer());
    job.lastModified = response.headers.get('last-modified');
  },
  'register a phone': async (job) => {
    job.phone = VirtualIPhone.create({ roots: [job.phones.authority.rootPem], route: () => job.node.url });
    job.phones.devices.push(job.phone);
    const { registered } = await job.phone.add(job.package, { lastModified: job.lastModified });
    equal(registered, true, 'the registration');
  },
  'change the pass': (job) => job.ledger.once('PATCH', path, points(7)),
  'see the change on the phone': (job) => until(job, () => shown(job).includes('"7"'), 'The phone shows no change.'),
  'list the updates of the phone': async (job) => {
    const { passTypeIdentifier, serialNumber } = installed(job).json;
    const device = job.phone.deviceLibraryIdentifier(serialNumber);
    const list = `/v1/devices/${device}/registrations/${passTypeIdentifier}`;
    const { body } = await job.ledger.once('GET', list);
    equal(body.serialNumbers.includes(serialNumber), true, 'the serial number in the list');
    const since = await fetch(`${job.node.url}${list}?passesUpdatedSince=${encodeURIComponent(body.lastUpdated)}`);
    equal(since.status, 204, 'the status of a list without changes');
  },
  'change the template and see it on the phone': async (job) => {
    await job.ledger.saveTemplate('soak', { title: 'Renamed' });
    await until(job, () => shown(job).includes('Renamed'), 'The phone shows the old title.');
  },
  'trace the delivery': async (job) => {
    const { body } = await job.ledger.once('GET', `${path}/delivery`);
    equal(body.devices.length, 1, 'the phones in the trace');
    equal(body.devices[0].verdict, 'up_to_date', 'the verdict on the phone');
  },
  'accept a message': async (job) => {
    const text = 'The bar is open.';
    const { body } = await job.ledger.once('POST', `${path}/messages`, { text });
    equal(body.text, text, 'the text of the message');
  },
  'add a pass to Google Wallet': async (job) => {
    await job.google.save(job.ledger, job.node.url);
    await job.google.change(job.ledger, 'changed at Google');
    await until(job, () => job.google.shows('changed at Google'), 'Google shows no change.');
  },
  'open the page of the pass': async (job) => {
    const response = await fetch(job.node.url + pathOf(job.pass.webUrl));
    equal(response.status, 200, 'the status');
  },
  'void the pass': async (job) => {
    await job.ledger.once('POST', `${path}/void`);
    await until(job, () => installed(job).json.voided === true, 'The phone shows a valid pass.');
  },
  'repeat a request under its key': async (job) => {
    const [key, body] = [randomUUID(), { metadata: { twice: true } }];
    const [first, again] = [
      await job.ledger.once('POST', '/v1/pass/soak', body, key),
      await job.ledger.once('POST', '/v1/pass/soak', body, key),
    ];
    equal(again.body.pass.id, first.body.pass.id, 'the pass of the repetition');
  },
  'create a member': async (job) => {
    await job.ledger.openClub([{ key: 'week', daysBefore: 7 }]);
    const expiry = new Date(Date.now() + 864e5).toISOString();
    const person = { email: `${randomUUID()}@example.com`, name: 'Ada', status: 'active', expiry };
    job.member = (await job.ledger.once('POST', '/v1/memberships/members', person)).body;
  },
  'change and list members': async (job) => {
    const one = `/v1/memberships/members/${job.member.id}`;
    equal((await job.ledger.once('PATCH', one, { name: 'Grace' })).body.name, 'Grace', 'the name of the member');
    await job.ledger.once('POST', `${one}/renew`, { expiry: new Date(Date.now() + 864e7).toISOString() });
    equal((await job.ledger.once('GET', '/v1/memberships/members')).body.data.length, 1, 'the members in the list');
  },
  'create a batch of 5,000': async (job) => {
    const lines = Array.from({ length: BATCH }, (_, at) => JSON.stringify({ id: `batch-${at}`, ...points(at) }));
    const response = await fetch(`${job.node.url}/v1/pass/soak/batch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${job.ledger.token}` },
      body: `${lines.join('\n')}\n`,
      signal: AbortSignal.timeout(BATCH_SECONDS * 1000),
    });
    const results = (await response.text()).split('\n').filter(Boolean);
    const wrong = results.find((line) => !line.includes('"webUrl"'));
    equal(`${results.length} ${wrong ?? ''}`, `${BATCH} `, 'the results of the batch');
  },
  'list passes': async (job) => {
    const { body } = await job.ledger.once('GET', '/v1/pass/soak?limit=100');
    equal(body.data.length, 100, 'the passes on a page');
  },
  'delete a pass': async (job) => {
    await job.ledger.once('DELETE', '/v1/pass/soak/batch-0');
    const response = await fetch(`${job.node.url}/v1/pass/soak/batch-0`, {
      headers: { Authorization: `Bearer ${job.ledger.token}` },
    });
    equal(response.status, 404, 'the status of the deleted pass');
  },
  'read the usage': async (job) => {
    const created = async () => (await job.ledger.once('GET', '/v1/account/usage')).body.data[0]?.passCreations;
    const stored = Number(job.sql('SELECT (SELECT count(*) FROM pass) + (SELECT count(*) FROM deleted_pass)'));
    await until(job, async () => (await created()) === stored, `The usage is not ${stored} passes.`);
  },
  'read the audit log': async (job) => {
    const { body } = await job.ledger.once('GET', '/v1/account/events');
    const actions = body.data.map(({ action }) => action);
    equal(actions.includes('webhook.created'), true, `webhook.created among ${actions}`);
  },
  'receive the events': async (job) => {
    const { body } = await job.ledger.once('GET', `/v1/webhooks/${job.webhookId}/events?limit=100`);
    equal(body.data.length > 0, true, 'an event in the stream');
    const ids = body.data.map(({ id }) => id);
    await until(
      job,
      () => ids.every((id) => job.receiver.received.has(id)),
      'Events are not delivered.',
      BATCH_SECONDS,
    );
  },
  'list the deliveries': async (job) => {
    // The node records the result of a delivery after the receiver has got the event, so wait for it.
    const path = `/v1/webhooks/${job.webhookId}/deliveries?status=delivered`;
    const listed = async () => (await job.ledger.once('GET', path)).body.data.length > 0;
    await until(job, listed, 'The list has no delivery.');
  },
};

const points = (value) => ({ fields: [{ key: 'points', label: 'Points', value: String(value) }] });
const pathOf = (url) => new URL(url).pathname;

function installed({ phone }) {
  return [...phone.passes.values()][0];
}

function shown(job) {
  return JSON.stringify(installed(job).json);
}

async function withToken({ ledger }, token, work) {
  const before = ledger.token;
  ledger.token = token;
  return work().finally(() => (ledger.token = before));
}

function equal(value, wanted, subject) {
  if (value !== wanted) throw new Error(`${subject}: ${value} instead of ${wanted}`);
}

/** Waits until `holds` returns true. Meanwhile, phones repeat their failed steps. */
async function until({ phones }, holds, problem, seconds = SECONDS) {
  const look = async () => (await holds()) || (await phones.retry(), false);
  if ((await within(seconds, look)) === Infinity) throw new Error(problem);
}
