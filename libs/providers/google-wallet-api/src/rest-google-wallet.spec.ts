import { type MessageToAdd, WalletUnavailable } from '@passwright/core';
import {
  problem,
  genericClass,
  genericObject,
  GoogleServer,
  ISSUER,
  serviceAccount,
  walletFor,
} from './google.fixtures.js';

let server: GoogleServer;

beforeEach(async () => {
  server = await GoogleServer.start();
});
afterEach(() => server.close());

const id = genericObject.body.id;
const there = { ...genericObject, exists: true };
const write = (resource = genericObject) => walletFor(server).wallet.write('a', resource, 'background');

describe('write', () => {
  it('write inserts a missing object with its exact body and a token, and reports whether anyone holds the pass', async () => {
    const result = await write();
    expect(result).toEqual({ outcome: 'stored', status: 200, reason: null, retryAfterSeconds: null, hasUsers: false });
    expect(server.seen).toEqual([
      {
        method: 'POST',
        path: '/walletobjects/v1/genericObject',
        authorization: 'Bearer token-1',
        body: genericObject.body,
      },
    ]);
  });

  it('write updates an existing object, and sends null to clear managed fields that the body lacks', async () => {
    expect(await write(there)).toMatchObject({ outcome: 'stored' });
    expect(server.calls).toEqual([`PATCH genericObject/${id}`]);
    expect(server.seen[0]?.body).toEqual({ ...genericObject.body, subheader: null, barcode: null });
  });

  it('write sends null inside a value of the body to clear managed parts that the value lacks', async () => {
    const ownedParts = { header: ['defaultValue', 'translatedValues'], subheader: ['translatedValues'] };
    expect(await write({ ...there, ownedParts })).toMatchObject({ outcome: 'stored' });
    expect(server.seen[0]?.body).toEqual({
      ...genericObject.body,
      header: { ...(genericObject.body.header as object), translatedValues: null },
      subheader: null,
      barcode: null,
    });
    expect(await write({ ...there, exists: false, ownedParts })).toMatchObject({ outcome: 'stored' });
    expect(server.seen[1]?.body).toEqual(genericObject.body);
  });

  it('write replaces the whole object on request and clears nothing with null', async () => {
    expect(await write({ ...there, replace: true })).toMatchObject({ outcome: 'stored' });
    expect(server.calls).toEqual([`PUT genericObject/${id}`]);
    expect(server.seen[0]?.body).toEqual(genericObject.body);
  });

  it('write updates an object that turns out to exist, and inserts an object that turns out to be missing', async () => {
    server.script.push(problem(409, 'existingResource'));
    expect(await write()).toMatchObject({ outcome: 'stored', status: 200 });
    server.script.push(problem(404, 'resourceNotFound'));
    expect(await write(there)).toMatchObject({ outcome: 'stored', status: 200 });
    expect(server.calls).toEqual([
      'POST genericObject',
      `PATCH genericObject/${id}`,
      `PATCH genericObject/${id}`,
      'POST genericObject',
    ]);
  });

  it('write updates an object that Google had stored before the connection dropped', async () => {
    server.script.push('drop', problem(409, 'existingResource'));
    expect(await write()).toMatchObject({ outcome: 'stored' });
    expect(server.calls).toEqual(['POST genericObject', 'POST genericObject', `PATCH genericObject/${id}`]);
  });

  it('write returns no_class for an object whose class is missing, even after an update found no object', async () => {
    server.script.push(problem(404, 'classNotFound'));
    expect(await write()).toMatchObject({ outcome: 'no_class', status: 404, reason: 'classNotFound: No.' });
    server.script.push(problem(404, 'resourceNotFound'), problem(404, 'classNotFound'));
    expect(await write(there)).toMatchObject({ outcome: 'no_class', status: 404 });
  });

  describe('write with a message', () => {
    const text = { id: 'week', header: 'Member', body: 'Until 3 March' };
    const message: MessageToAdd = { ...text, messageType: 'TEXT_AND_NOTIFY', mayExist: false };
    const withMessage = (change: Partial<MessageToAdd> = {}) => ({ ...there, message: { ...message, ...change } });
    const reported = (messageType: string) => ({ message: { ...text, messageType } });
    const holding = (...messages: object[]) => ({ status: 200, body: { id, messages } });

    it('write adds the message with a notification after it has stored the object', async () => {
      expect(await write(withMessage())).toMatchObject({ outcome: 'stored', message: 'notified', hasUsers: false });
      expect(server.calls).toEqual([`PATCH genericObject/${id}`, `POST genericObject/${id}/addMessage`]);
      expect(server.seen[1]?.body).toEqual(reported('TEXT_AND_NOTIFY'));
    });

    it('write adds the message in all its languages', async () => {
      const translated = (value: string) => ({ defaultValue: { language: 'en', value }, translatedValues: [] });
      const texts = { localizedHeader: translated('Member'), localizedBody: translated('Until 3 March') };
      await write(withMessage(texts));
      expect(server.seen[1]?.body).toEqual({ message: { ...text, ...texts, messageType: 'TEXT_AND_NOTIFY' } });
    });

    it('write adds the message without a notification on request', async () => {
      expect(await write(withMessage({ messageType: 'TEXT' }))).toMatchObject({ outcome: 'stored', message: 'shown' });
      expect(server.seen[1]?.body).toEqual(reported('TEXT'));
    });

    it('write adds the message without a notification if the object has used up its notifications of the day', async () => {
      server.script.push({ status: 200, body: {} }, problem(403, 'quotaExceeded'));
      expect(await write(withMessage())).toMatchObject({ outcome: 'stored', message: 'shown' });
      expect(server.seen.slice(1).map(({ body }) => body)).toEqual([reported('TEXT_AND_NOTIFY'), reported('TEXT')]);
    });

    it.each([
      ['is lost', 'drop'],
      ['is 503', problem(503, 'backendError')],
      ['is 404', problem(404, 'resourceNotFound')],
    ] as const)('write sends the message only once, even when the response to it %s', async (_, response) => {
      server.script.push({ status: 200, body: {} }, response);
      expect(await write(withMessage())).toMatchObject({ outcome: 'retry', message: 'unclear' });
      expect(server.calls).toEqual([`PATCH genericObject/${id}`, `POST genericObject/${id}/addMessage`]);
    });

    it.each([
      ['textAndNotify', true],
      ['TEXT_AND_NOTIFY', true],
      ['text', false],
    ])(
      'write reports the message, and changes nothing, if an earlier write has added it with the type %s',
      async (type, notified) => {
        server.script.push(holding({ id: 'other' }, { kind: 'walletobjects#m', ...text, messageType: type }));
        const result = await write(withMessage({ mayExist: true }));
        expect(result).toMatchObject({ outcome: 'found', found: [{ id: 'week', notified }] });
        expect(result).not.toHaveProperty('message');
        expect(server.calls).toEqual([`GET genericObject/${id}`]);
      },
    );

    it('write reports which further messages an earlier write has added, and changes nothing', async () => {
      server.script.push(holding({ ...text, messageType: 'TEXT_AND_NOTIFY' }, { id: 'other' }));
      const result = await write({ ...there, mayHave: ['absent', 'week'] });
      expect(result).toMatchObject({ outcome: 'found', found: [{ id: 'week', notified: true }] });
      expect(server.calls).toEqual([`GET genericObject/${id}`]);
    });

    it('write reports that the object has none of the messages that an earlier write may have added', async () => {
      server.script.push(holding({ id: 'other' }));
      const result = await write({ ...there, mayHave: ['absent', 'week'] });
      expect(result).toMatchObject({ outcome: 'stored', found: [] });
      expect(server.calls).toEqual([`GET genericObject/${id}`, `PATCH genericObject/${id}`]);
    });

    it.each([
      ['has no messages', { status: 200, body: {} }],
      ['has other messages', holding({ id: 'other' }, null as never)],
      ['does not exist', problem(404, 'resourceNotFound')],
    ])(
      'write adds its message, although an earlier write may have added it already, if the object %s',
      async (_, response) => {
        server.script.push(response);
        expect(await write(withMessage({ mayExist: true }))).toMatchObject({ outcome: 'stored', message: 'notified' });
        expect(server.calls.at(-1)).toBe(`POST genericObject/${id}/addMessage`);
      },
    );

    it('write changes nothing if it cannot find out whether the message exists', async () => {
      server.script.push(...Array.from({ length: 4 }, () => problem(503, 'backendError')));
      const result = await write(withMessage({ mayExist: true }));
      expect(result).toMatchObject({ outcome: 'retry', status: 503 });
      expect(result).not.toHaveProperty('message');
      expect(new Set(server.calls)).toEqual(new Set([`GET genericObject/${id}`]));
    });

    it('write stores the object and reports the message that Google rejects', async () => {
      server.script.push({ status: 200, body: {} }, problem(400, 'invalid'));
      expect(await write(withMessage())).toMatchObject({ outcome: 'stored', message: 'rejected' });
    });

    it('write sends no message for an object that Google did not store', async () => {
      server.script.push(problem(400, 'invalidResource'));
      expect(await write(withMessage())).toMatchObject({ outcome: 'rejected' });
      expect(server.calls).toHaveLength(1);
    });
  });

  it('write stops when Google contradicts itself about an id', async () => {
    const contradictions = [409, 404, 409, 404].map((status) => problem(status, 'contradiction'));
    server.script.push(...contradictions);
    expect(await write(genericClass)).toMatchObject({ outcome: 'retry', reason: expect.stringContaining('and that') });
    expect(server.seen).toHaveLength(3);
  });

  it.each([
    ['rejected', 400, 'invalidResource', 1],
    ['rejected', 412, 'conditionNotMet', 1],
    ['credential_rejected', 403, 'permissionDenied', 1],
    ['credential_rejected', 403, 'accessNotConfigured', 1],
    ['retry', 403, 'quotaExceeded', 1],
    ['retry', 403, 'rateLimitExceeded', 4],
    ['retry', 429, 'rateLimitExceeded', 4],
    ['retry', 408, 'timeout', 4],
    ['retry', 500, 'backendError', 4],
    ['retry', 503, 'backendError', 4],
  ] as const)('write returns %s on %i %s, after %i requests', async (outcome, status, reason, requests) => {
    server.script.push(...Array.from({ length: 5 }, () => problem(status, reason, 'Because.')));
    expect(await write()).toMatchObject({ outcome, status, reason: `${reason}: Because.`, hasUsers: null });
    expect(server.seen).toHaveLength(requests);
  });

  it('write succeeds after temporary failures', async () => {
    server.script.push(problem(503, 'backendError'), 'drop', problem(429, 'rateLimitExceeded'));
    expect(await write()).toMatchObject({ outcome: 'stored', status: 200 });
  });

  it('write waits no longer than its deadline, and reports how long Google asked to wait', async () => {
    server.script.push({ ...problem(429, 'rateLimitExceeded'), headers: { 'retry-after': '90' } });
    expect(await write()).toMatchObject({ outcome: 'retry', status: 429, retryAfterSeconds: 90 });
    expect(server.seen).toHaveLength(1);
  });

  it('write names the invalid fields in one line', async () => {
    const details = [{ '@type': 'BadRequest', fieldViolations: [{ description: 'Barcode type\nmust be set' }] }];
    server.script.push({ status: 400, body: { error: { message: 'Bad.', status: 'INVALID_ARGUMENT', details } } });
    expect((await write()).reason).toBe('INVALID_ARGUMENT: Bad.: Barcode type must be set');
  });

  it('write fetches a new token once when Google rejects one, and retries later when Google rejects that too', async () => {
    const rejection = problem(401, 'authError');
    const { wallet, quota } = walletFor(server);
    server.script.push(rejection);
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'stored' });
    expect(server.seen.map(({ authorization }) => authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(quota.taken).toHaveLength(2);
    server.script.push(rejection, rejection);
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry', status: 401 });
    expect(server.seen).toHaveLength(4);
  });

  it('write asks the quota before each request and retry, and names the issuer', async () => {
    const { wallet, quota } = walletFor(server);
    server.script.push(problem(500, 'backendError'), problem(409, 'existingResource'), 'drop');
    await wallet.write('a', genericObject, 'holder');
    expect(server.seen).toHaveLength(4);
    expect(quota.taken.map(([issuerId, urgency]) => `${issuerId} ${urgency}`)).toEqual(
      Array.from({ length: 4 }, () => `${ISSUER} holder`),
    );
    expect(quota.taken.every(([, , maxWaitMs]) => maxWaitMs > 10_000 && maxWaitMs <= 15_000)).toBe(true);
  });

  it('write sends nothing if the quota grants it no turn, and can be retried later', async () => {
    const { wallet, quota } = walletFor(server);
    quota.take = () => Promise.reject(new WalletUnavailable('Too many wait.'));
    const result = await wallet.write('a', genericObject, 'background');
    expect(result).toMatchObject({ outcome: 'retry', status: null, reason: 'Too many wait.' });
    expect(server.seen).toEqual([]);
  });

  it.each(['holder', 'background'] as const)('write ends in time although Google is silent (%s)', async (urgency) => {
    const limits = { requestTimeoutMs: 250, writeMs: { holder: 700, background: 700 } };
    const { wallet } = walletFor(server, limits);
    server.script.push(...Array.from({ length: 10 }, () => 'hang' as const));
    const result = await wallet.write('a', genericObject, urgency);
    expect(result).toMatchObject({
      outcome: 'retry',
      status: null,
      reason: expect.stringMatching(/no response within/),
    });
    expect(server.seen.length).toBeGreaterThan(1);
  });

  it('write ends in time although the quota is silent', async () => {
    const { wallet, quota } = walletFor(server, { writeMs: { holder: 20, background: 20 } });
    quota.take = () => new Promise(() => undefined);
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry', status: null });
  });

  it('write returns stored for a response that is too long, and retry for a response from another kind of server', async () => {
    const { wallet } = walletFor(server, { responseBytes: 1000 });
    server.script.push({ status: 200, text: `{"id":"${'x'.repeat(5000)}"}` });
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'stored', hasUsers: null });
    server.script.push(...Array.from({ length: 4 }, () => ({ status: 200, text: '<html>Welcome' })));
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry' });
    server.script.push(...Array.from({ length: 4 }, () => ({ status: 302, headers: { location: server.url } })));
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry', status: 302 });
  });

  it('write rejects resources of another issuer, and what Google would reject, without asking Google', async () => {
    const { header: _, ...body } = genericObject.body as Record<string, unknown> & { id: string };
    expect(await write({ ...genericObject, body })).toMatchObject({
      outcome: 'rejected',
      status: null,
      reason: expect.stringContaining('$.header is missing'),
    });
    const foreign = { ...genericClass, body: { id: '3388000000099999999.x' } };
    expect(await write(foreign)).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining(ISSUER) });
    expect(server.seen).toEqual([]);
    expect(server.assertions).toEqual([]);
  });

  it('write sends nothing and returns credential_rejected for an unknown service account, and retry if Google is down', async () => {
    server.tokenScript.push({ status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT' } });
    expect(await write()).toMatchObject({
      outcome: 'credential_rejected',
      status: 400,
      reason: expect.stringContaining('invalid_grant: Invalid JWT'),
    });
    server.tokenScript.push(...Array.from({ length: 4 }, () => ({ status: 503 })));
    expect(await write()).toMatchObject({ outcome: 'retry', status: 503 });
    expect(server.seen).toEqual([]);
  });
});

describe('check', () => {
  const check = () => walletFor(server).wallet.check(serviceAccount);

  it('check finds nothing wrong and writes nothing when the service account has access', async () => {
    server.script.push(problem(404, 'classNotFound'));
    expect(await check()).toBeNull();
    expect(server.calls).toEqual([`GET genericClass/${ISSUER}.passwright.check`]);
  });

  it.each([
    [problem(403, 'permissionDenied'), /invite that address as a user with access level Developer/],
    [problem(403, 'accessNotConfigured'), /API is not enabled in the Google Cloud project/],
    [problem(400, 'invalidResource'), /does not know the issuer id 3388000000012345678/],
    [problem(500, 'backendError'), /try again/],
  ])('check says what to do when Google rejects the service account (%#)', async (result, words) => {
    server.script.push(result, result, result, result);
    expect(await check()).toMatch(words);
  });

  it('check reports a key that Google rejects, without caching that result, and a key that cannot be read', async () => {
    server.tokenScript.push({ status: 400, body: { error: 'invalid_grant' } });
    const { wallet } = walletFor(server);
    expect(await wallet.check(serviceAccount)).toMatch(/no token \(invalid_grant\).*clock/);
    expect(await wallet.check(serviceAccount)).toBeNull();
    expect(await wallet.check({ ...serviceAccount, issuerId: '12', privateKeyPem: 'x' })).toMatch(
      /issuer id must be 10 to 20 digits.*private key cannot be read/,
    );
  });
});
