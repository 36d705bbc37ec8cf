import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, type GoogleCallback, type GoogleResource, SystemClock } from '@passwright/core';
import { FakeGoogleWallet } from '@passwright/testing';
import { ResolvedServiceAccounts } from './accounts/resolved-service-accounts.js';
import { readServiceAccountKey } from './accounts/service-account-key.js';
import { MemoryQuota } from './memory-quota.js';
import { RestGoogleWallet } from './rest-google-wallet.js';

/**
 * Records when the quota allows requests. Google may receive them late and all at once, if the process was suspended.
 */
class RecordedQuota extends MemoryQuota {
  readonly turns: number[] = [];

  override async take(...args: Parameters<MemoryQuota['take']>): Promise<void> {
    await super.take(...args);
    this.turns.push(performance.now());
  }

  /** Returns the maximum number of allowed requests within one second. */
  mostInASecond(): number {
    return Math.max(...this.turns.map((at) => this.turns.filter((other) => other >= at && other < at + 1000).length));
  }
}

let google: FakeGoogleWallet;
let quota: RecordedQuota;
let wallet: RestGoogleWallet;
let classOf: GoogleResource;
let objectOf: GoogleResource;

const text = (value: string) => ({ defaultValue: { language: 'en', value } });

beforeAll(async () => {
  google = await FakeGoogleWallet.start();
  const { issuerId, keyFile } = google.serviceAccount();
  const { api: apiUrl, token: tokenUrl, save: saveUrl, keys: callbackKeysUrl } = google.urls;
  const serviceAccount = { kind: 'operator', issuerId, ...readServiceAccountKey(keyFile) } as const;
  const accounts = new ResolvedServiceAccounts({ serviceAccount, tokenUrl });
  wallet = new RestGoogleWallet(
    { apiUrl, tokenUrl, saveUrl, callbackKeysUrl },
    accounts,
    (quota = new RecordedQuota()),
    new SystemClock(),
    {
      backoffFirstMs: 1,
    },
  );
  classOf = {
    vertical: 'generic',
    part: 'class',
    body: { id: `${issuerId}.template_1` },
    owned: ['classTemplateInfo'],
    exists: false,
  };
  const body = { classId: classOf.body.id, state: 'ACTIVE', cardTitle: text('Ada'), header: text('Visitor') };
  objectOf = {
    vertical: 'generic',
    part: 'object',
    body: { id: `${issuerId}.pass_1`, ...body },
    owned: ['subheader', 'barcode'],
    exists: false,
  };
});
afterAll(() => google.stop());
afterEach(() => {
  google.reset();
  google.clear();
});

const write = (resource: GoogleResource) => wallet.write('a', resource, 'background');

it('GoogleWallet creates a class and an object, links to them, and receives the callback when a user saves the pass', async () => {
  expect(await write(objectOf)).toMatchObject({ outcome: 'no_class', status: 404 });
  expect(await write(classOf)).toMatchObject({ outcome: 'stored' });
  expect(await write(objectOf)).toMatchObject({ outcome: 'stored', hasUsers: false });

  const link = await wallet.saveLink('a', { genericObjects: [{ id: objectOf.body.id }] });
  expect(await google.save(link)).toMatchObject({ reason: null, saved: [objectOf.body.id], created: [] });
  expect(await write({ ...objectOf, exists: true })).toMatchObject({ outcome: 'stored', hasUsers: true });
});

it('GoogleWallet clears removed fields when it updates or replaces an object', async () => {
  await write(classOf);
  const full = {
    ...objectOf,
    body: { ...objectOf.body, subheader: text('Guest'), barcode: { type: 'QR_CODE', value: '1' } },
  };
  for (const replace of [false, true]) {
    await write({ ...full, exists: true });
    expect(google.objects.get(objectOf.body.id)).toHaveProperty('subheader');
    expect(await write({ ...objectOf, exists: true, replace })).toMatchObject({ outcome: 'stored' });
    expect(google.objects.get(objectOf.body.id)).not.toHaveProperty('subheader');
    expect(google.objects.get(objectOf.body.id)).not.toHaveProperty('barcode');
  }
});

it('GoogleWallet stores each object once despite dropped connections, expired tokens and outages of Google', async () => {
  google.dropAfterStoring();
  expect(await write(classOf)).toMatchObject({ outcome: 'stored' });
  google.expireTokens();
  google.next({ status: 503 });
  google.tokenFailures = 1;
  expect(await write(objectOf)).toMatchObject({ outcome: 'stored' });
  expect([google.classes.size, google.objects.size]).toEqual([1, 1]);
});

it('GoogleWallet shows holders a message once, even if the connection drops after Google has stored the message', async () => {
  await write(classOf);
  await write(objectOf);
  const text = { id: 'seat', header: 'Seat', body: 'Seat: 14' };
  const send = (mayExist: boolean) =>
    write({ ...objectOf, exists: true, message: { ...text, messageType: 'TEXT_AND_NOTIFY', mayExist } });
  google.next({ status: 503, matches: ({ path }) => path.endsWith('/addMessage') });
  expect(await send(false)).toMatchObject({ outcome: 'retry' });
  expect(google.addedMessages).toEqual([]);
  const patched = () => google.nextRequest(({ method }) => method === 'PATCH');
  await patched();
  const dropped = patched().then(() => google.dropAfterStoring());
  expect(await send(true)).toMatchObject({ outcome: 'retry' });
  await dropped;
  expect(google.addedMessages).toMatchObject([{ ...text, notified: true }]);
  for (const found of [[{ id: 'seat', notified: true }], [{ id: 'seat', notified: true }]]) {
    expect(await send(true)).toMatchObject({ outcome: 'found', found });
  }
  expect(google.addedMessages).toHaveLength(1);
  expect(google.objects.get(objectOf.body.id)).toMatchObject({ messages: [text] });
});

it('GoogleWallet stays within the quota', async () => {
  await write(classOf);
  const requests = () => google.requests.filter(({ service }) => service === 'api').length;
  const before = requests();
  quota.turns.length = 0;
  const objects = Array.from({ length: 30 }, (_, n) => ({
    ...objectOf,
    body: { ...objectOf.body, id: `${objectOf.body.id}_${n}` },
  }));
  const results = await Promise.all(objects.map(write));
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['stored']));
  expect(quota.turns.length).toBeGreaterThanOrEqual(30);
  expect(quota.mostInASecond()).toBeLessThanOrEqual(20);
  // Google received exactly the requests that the quota allowed.
  expect(requests() - before).toBe(quota.turns.length);
});

it('GoogleWallet stops writing if the issuer does not know the service account, and `check` reports the cause', async () => {
  const account = google.serviceAccount();
  expect(await wallet.check(account)).toBeNull();
  google.denyIssuer(account.issuerId);
  expect(await write(classOf)).toMatchObject({ outcome: 'credential_rejected', status: 403 });
  expect(await wallet.check(account)).toMatch(/Developer/);
  google.allowIssuer(account.issuerId);
});

describe('callbacks', () => {
  let receiver: Server;
  let to: string;
  let received: GoogleCallback[];

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        try {
          received.push(await wallet.readCallback(Buffer.concat(chunks)));
        } catch (error) {
          response.statusCode = error instanceof AppError ? error.statusCode : 500;
        }
        response.end();
      })();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  });
  afterAll(() => void receiver.close());
  beforeEach(async () => {
    received = [];
    await write(classOf);
    await write(objectOf);
  });

  it('the service accepts callbacks that Google signed', async () => {
    await google.sendCallback('save', objectOf.body.id, { to });
    expect(received).toMatchObject([{ event: 'save', classId: classOf.body.id, objectId: objectOf.body.id }]);
  });

  it.each([
    ['unknown root', 401],
    ['expired intermediate', 401],
    ['wrong issuer', 401],
    ['changed message', 401],
    ['expired message', 401],
    ['wrong protocol version', 400],
  ] as const)('GoogleWallet rejects a forged callback (%s) with %i', async (forgery, status) => {
    expect(await google.sendCallback('del', objectOf.body.id, { to, forgery })).toMatchObject({ status });
    expect(received).toEqual([]);
  });
});
