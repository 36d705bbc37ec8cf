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

describe('RestGoogleWallet.write', () => {
  it('RestGoogleWallet.write inserts a missing object with a token, and reports whether a holder has saved it', async () => {
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

  it('RestGoogleWallet.write updates an existing object, and sends null for managed fields that the body lacks', async () => {
    expect(await write(there)).toMatchObject({ outcome: 'stored' });
    expect(server.calls).toEqual([`PATCH genericObject/${id}`]);
    expect(server.seen[0]?.body).toEqual({ ...genericObject.body, subheader: null, barcode: null });
  });

  it('RestGoogleWallet.write sends null for managed properties that a nested value of the body lacks', async () => {
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

  it('RestGoogleWallet.write can replace the whole object, and then sends no null to clear fields', async () => {
    expect(await write({ ...there, replace: true })).toMatchObject({ outcome: 'stored' });
    expect(server.calls).toEqual([`PUT genericObject/${id}`]);
    expect(server.seen[0]?.body).toEqual(genericObject.body);
  });

  it('RestGoogleWallet.write changes from insert to update if the object exists, and the other way round', async () => {
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

  it('RestGoogleWallet.write updates an object that Google stored before the connection dropped', async () => {
    server.script.push('drop', problem(409, 'existingResource'));
    expect(await write()).toMatchObject({ outcome: 'stored' });
    expect(server.calls).toEqual(['POST genericObject', 'POST genericObject', `PATCH genericObject/${id}`]);
  });

  it('RestGoogleWallet.write returns "no_class" for an object whose class is missing', async () => {
    server.script.push(problem(404, 'classNotFound'));
    expect(await write()).toMatchObject({ outcome: 'no_class', status: 404, reason: 'classNotFound: No.' });
    server.script.push(problem(404, 'resourceNotFound'), problem(404, 'classNotFound'));
    expect(await write(there)).toMatchObject({ outcome: 'no_class', status: 404 });
  });

  describe('RestGoogleWallet.write with a message', () => {
    const text = { id: 'week', header: 'Member', body: 'Until 3 March' };
    const message: MessageToAdd = { ...text, messageType: 'TEXT_AND_NOTIFY', mayExist: false };
    const withMessage = (change: Partial<MessageToAdd> = {}) => ({ ...there, message: { ...message, ...change } });
    const reported = (messageType: string) => ({ message: { ...text, messageType } });
    const holding = (...messages: object[]) => ({ status: 200, body: { id, messages } });

    it('RestGoogleWallet.write stores the object and then adds the message with a notification', async () => {
      expect(await write(withMessage())).toMatchObject({ outcome: 'stored', message: 'notified', hasUsers: false });
      expect(server.calls).toEqual([`PATCH genericObject/${id}`, `POST genericObject/${id}/addMessage`]);
      expect(server.seen[1]?.body).toEqual(reported('TEXT_AND_NOTIFY'));
    });

    it('RestGoogleWallet.write adds the message in all its languages', async () => {
      const translated = (value: string) => ({ defaultValue: { language: 'en', value }, translatedValues: [] });
      const texts = { localizedHeader: translated('Member'), localizedBody: translated('Until 3 March') };
      await write(withMessage(texts));
      expect(server.seen[1]?.body).toEqual({ message: { ...text, ...texts, messageType: 'TEXT_AND_NOTIFY' } });
    });

    it('RestGoogleWallet.write can add the message without a notification', async () => {
      expect(await write(withMessage({ messageType: 'TEXT' }))).toMatchObject({ outcome: 'stored', message: 'shown' });
      expect(server.seen[1]?.body).toEqual(reported('TEXT'));
    });

    it('RestGoogleWallet.write adds the message silently if the object has used up its notifications of the day', async () => {
      server.script.push({ status: 200, body: {} }, problem(403, 'quotaExceeded'));
      expect(await write(withMessage())).toMatchObject({ outcome: 'stored', message: 'shown' });
      expect(server.seen.slice(1).map(({ body }) => body)).toEqual([reported('TEXT_AND_NOTIFY'), reported('TEXT')]);
    });

    it.each([
      ['is lost', 'drop'],
      ['is 503', problem(503, 'backendError')],
      ['is 404', problem(404, 'resourceNotFound')],
    ] as const)('RestGoogleWallet.write sends the message only once, even if the response %s', async (_, response) => {
      server.script.push({ status: 200, body: {} }, response);
      expect(await write(withMessage())).toMatchObject({ outcome: 'retry', message: 'unclear' });
      expect(server.calls).toEqual([`PATCH genericObject/${id}`, `POST genericObject/${id}/addMessage`]);
    });

    it.each([
      ['textAndNotify', true],
      ['TEXT_AND_NOTIFY', true],
      ['text', false],
    ])(
      'RestGoogleWallet.write reports a message that an earlier write has added with the type %s, and changes nothing',
      async (type, notified) => {
        server.script.push(holding({ id: 'other' }, { kind: 'walletobjects#m', ...text, messageType: type }));
        const result = await write(withMessage({ mayExist: true }));
        expect(result).toMatchObject({ outcome: 'found', found: [{ id: 'week', notified }] });
        expect(result).not.toHaveProperty('message');
        expect(server.calls).toEqual([`GET genericObject/${id}`]);
      },
    );

    it('RestGoogleWallet.write reports other messages that earlier writes have added, and changes nothing', async () => {
      server.script.push(holding({ ...text, messageType: 'TEXT_AND_NOTIFY' }, { id: 'other' }));
      const result = await write({ ...there, mayHave: ['absent', 'week'] });
      expect(result).toMatchObject({ outcome: 'found', found: [{ id: 'week', notified: true }] });
      expect(server.calls).toEqual([`GET genericObject/${id}`]);
    });

    it('RestGoogleWallet.write stores an object that has none of the messages of an earlier write', async () => {
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
      'RestGoogleWallet.write adds a message, even after an earlier attempt, if the object %s',
      async (_, response) => {
        server.script.push(response);
        expect(await write(withMessage({ mayExist: true }))).toMatchObject({ outcome: 'stored', message: 'notified' });
        expect(server.calls.at(-1)).toBe(`POST genericObject/${id}/addMessage`);
      },
    );

    it('RestGoogleWallet.write changes nothing if it cannot read whether the message exists', async () => {
      server.script.push(...Array.from({ length: 4 }, () => problem(503, 'backendError')));
      const result = await write(withMessage({ mayExist: true }));
      expect(result).toMatchObject({ outcome: 'retry', status: 503 });
      expect(result).not.toHaveProperty('message');
      expect(new Set(server.calls)).toEqual(new Set([`GET genericObject/${id}`]));
    });

    it('RestGoogleWallet.write stores the object and reports a message that Google rejects', async () => {
      server.script.push({ status: 200, body: {} }, problem(400, 'invalid'));
      expect(await write(withMessage())).toMatchObject({ outcome: 'stored', message: 'rejected' });
    });

    it('RestGoogleWallet.write does not send the message if Google did not store the object', async () => {
      server.script.push(problem(400, 'invalidResource'));
      expect(await write(withMessage())).toMatchObject({ outcome: 'rejected' });
      expect(server.calls).toHaveLength(1);
    });
  });

  it('RestGoogleWallet.write stops if Google’s responses contradict each other about whether an id exists', async () => {
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
  ] as const)(
    'RestGoogleWallet.write returns "%s" for %i %s, after %i requests',
    async (outcome, status, reason, requests) => {
      server.script.push(...Array.from({ length: 5 }, () => problem(status, reason, 'Because.')));
      expect(await write()).toMatchObject({ outcome, status, reason: `${reason}: Because.`, hasUsers: null });
      expect(server.seen).toHaveLength(requests);
    },
  );

  it('RestGoogleWallet.write succeeds after temporary failures', async () => {
    server.script.push(problem(503, 'backendError'), 'drop', problem(429, 'rateLimitExceeded'));
    expect(await write()).toMatchObject({ outcome: 'stored', status: 200 });
  });

  it('RestGoogleWallet.write stops at its deadline, and reports the pause that Google asked for', async () => {
    server.script.push({ ...problem(429, 'rateLimitExceeded'), headers: { 'retry-after': '90' } });
    expect(await write()).toMatchObject({ outcome: 'retry', status: 429, retryAfterSeconds: 90 });
    expect(server.seen).toHaveLength(1);
  });

  it('RestGoogleWallet.write names the invalid fields in one line', async () => {
    const details = [{ '@type': 'BadRequest', fieldViolations: [{ description: 'Barcode type\nmust be set' }] }];
    server.script.push({ status: 400, body: { error: { message: 'Bad.', status: 'INVALID_ARGUMENT', details } } });
    expect((await write()).reason).toBe('INVALID_ARGUMENT: Bad.: Barcode type must be set');
  });

  it('RestGoogleWallet.write fetches a new token after a rejection, and returns "retry" after a second one', async () => {
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

  it('RestGoogleWallet.write asks the quota of the issuer before each request and each retry', async () => {
    const { wallet, quota } = walletFor(server);
    server.script.push(problem(500, 'backendError'), problem(409, 'existingResource'), 'drop');
    await wallet.write('a', genericObject, 'holder');
    expect(server.seen).toHaveLength(4);
    expect(quota.taken.map(([issuerId, urgency]) => `${issuerId} ${urgency}`)).toEqual(
      Array.from({ length: 4 }, () => `${ISSUER} holder`),
    );
    expect(quota.taken.every(([, , maxWaitMs]) => maxWaitMs > 10_000 && maxWaitMs <= 15_000)).toBe(true);
  });

  it('RestGoogleWallet.write sends nothing and returns "retry" if the quota rejects the request', async () => {
    const { wallet, quota } = walletFor(server);
    quota.take = () => Promise.reject(new WalletUnavailable('Too many wait.'));
    const result = await wallet.write('a', genericObject, 'background');
    expect(result).toMatchObject({ outcome: 'retry', status: null, reason: 'Too many wait.' });
    expect(server.seen).toEqual([]);
  });

  it.each(['holder', 'background'] as const)(
    'RestGoogleWallet.write ends in time even if Google does not respond (%s)',
    async (urgency) => {
      const limits = { requestTimeoutMs: 600, writeMs: { holder: 1500, background: 1500 } };
      const { wallet } = walletFor(server, limits);
      server.script.push(...Array.from({ length: 10 }, () => 'hang' as const));
      const result = await wallet.write('a', genericObject, urgency);
      expect(result).toMatchObject({
        outcome: 'retry',
        status: null,
        // On a busy machine, the time limit may pass between two requests.
        reason: expect.stringMatching(/no response within|No time was left/),
      });
      expect(server.seen.length).toBeGreaterThan(1);
    },
  );

  it('RestGoogleWallet.write ends in time even if the quota does not respond', async () => {
    const { wallet, quota } = walletFor(server, { writeMs: { holder: 20, background: 20 } });
    quota.take = () => new Promise(() => undefined);
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry', status: null });
  });

  it('RestGoogleWallet.write returns "stored" for a response that is too long, and "retry" for one that is not of the API', async () => {
    const { wallet } = walletFor(server, { responseBytes: 1000 });
    server.script.push({ status: 200, text: `{"id":"${'x'.repeat(5000)}"}` });
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'stored', hasUsers: null });
    server.script.push(...Array.from({ length: 4 }, () => ({ status: 200, text: '<html>Welcome' })));
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry' });
    server.script.push(...Array.from({ length: 4 }, () => ({ status: 302, headers: { location: server.url } })));
    expect(await wallet.write('a', genericObject, 'holder')).toMatchObject({ outcome: 'retry', status: 302 });
  });

  it('RestGoogleWallet.write rejects invalid resources and those of another issuer without asking Google', async () => {
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

  it('RestGoogleWallet.write returns "credential_rejected" for an unknown service account, and "retry" if Google is down', async () => {
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

describe('RestGoogleWallet.check', () => {
  const check = () => walletFor(server).wallet.check(serviceAccount);

  it('RestGoogleWallet.check returns null and writes nothing if the service account has access', async () => {
    server.script.push(problem(404, 'classNotFound'));
    expect(await check()).toBeNull();
    expect(server.calls).toEqual([`GET genericClass/${ISSUER}.passwright.check`]);
  });

  it.each([
    [problem(403, 'permissionDenied'), /invite that address as a user with access level Developer/],
    [problem(403, 'accessNotConfigured'), /API is not enabled in the Google Cloud project/],
    [problem(400, 'invalidResource'), /does not know the issuer id 3388000000012345678/],
    [problem(500, 'backendError'), /try again/],
  ])('RestGoogleWallet.check says what to do when Google rejects the service account (%#)', async (result, words) => {
    server.script.push(result, result, result, result);
    expect(await check()).toMatch(words);
  });

  it('RestGoogleWallet.check reports unreadable and rejected keys, and does not cache a rejection', async () => {
    server.tokenScript.push({ status: 400, body: { error: 'invalid_grant' } });
    const { wallet } = walletFor(server);
    expect(await wallet.check(serviceAccount)).toMatch(/no token \(invalid_grant\).*clock/);
    expect(await wallet.check(serviceAccount)).toBeNull();
    expect(await wallet.check({ ...serviceAccount, issuerId: '12', privateKeyPem: 'x' })).toMatch(
      /issuer id must be 10 to 20 digits.*private key cannot be read/,
    );
  });
});
