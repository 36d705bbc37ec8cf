import { generateKeyPairSync } from 'node:crypto';
import { AppleCredentials } from '@passwright/core';
import { ApnsPush } from './apns-push.js';
import { CredentialsByAccount, newToken, newTokens, PushBench, until } from './apple-push.fixtures.js';

let bench: PushBench;
beforeAll(async () => {
  bench = await PushBench.start();
});
afterEach(() => bench.clear());
afterAll(() => bench.fake.stop());

it('ApnsPush sends exactly the headers and the body that Apple requires', async () => {
  const token = newToken();
  const result = await bench.client().push('acct_1', token);
  const push = bench.fake.pushes[0]!;
  expect(push).toMatchObject({ token, topic: 'pass.com.example.test', body: '{}' });
  expect(push.certificateUid).toBe('pass.com.example.test');
  expect(Object.fromEntries(Object.entries(push.headers))).toEqual({
    ':method': 'POST',
    ':path': `/3/device/${token}`,
    ':scheme': 'https',
    ':authority': new URL(bench.fake.url).host,
    'apns-topic': 'pass.com.example.test',
    'apns-push-type': 'background',
    'apns-priority': '5',
    'apns-expiration': String(Date.parse('2026-11-21T10:00:00.000Z') / 1000),
  });
  expect(result).toEqual({
    outcome: 'accepted',
    pushId: push.apnsId,
    status: 200,
    reason: null,
    goneSince: null,
    retryAfterSeconds: null,
  });
});

describe('responses of the push service', () => {
  it.each([
    [400, 'BadDeviceToken', 'bad_token', null],
    [400, 'DeviceTokenNotForTopic', 'invalid', null],
    [400, 'TopicDisallowed', 'credential_rejected', null],
    [400, 'BadTopic', 'credential_rejected', null],
    [400, 'MissingTopic', 'credential_rejected', null],
    [400, 'BadExpirationDate', 'invalid', null],
    [400, 'BadPriority', 'invalid', null],
    [400, 'BadMessageId', 'invalid', null],
    [400, 'BadCollapseId', 'invalid', null],
    [400, 'InvalidPushType', 'invalid', null],
    [400, 'DuplicateHeaders', 'invalid', null],
    [400, 'MissingDeviceToken', 'invalid', null],
    [400, 'PayloadEmpty', 'invalid', null],
    [400, 'IdleTimeout', 'retry', null],
    [403, 'BadCertificate', 'credential_rejected', null],
    [403, 'BadCertificateEnvironment', 'credential_rejected', null],
    [403, 'Forbidden', 'credential_rejected', null],
    [403, 'InvalidProviderToken', 'credential_rejected', null],
    [403, 'ExpiredProviderToken', 'credential_rejected', null],
    [403, 'MissingProviderToken', 'credential_rejected', null],
    [404, 'BadPath', 'invalid', null],
    [405, 'MethodNotAllowed', 'invalid', null],
    [410, 'Unregistered', 'gone', null],
    [410, 'ExpiredToken', 'gone', null],
    [413, 'PayloadTooLarge', 'invalid', null],
    [429, 'TooManyRequests', 'retry', 300],
    [429, 'TooManyProviderTokenUpdates', 'retry', 300],
    [500, 'InternalServerError', 'retry', null],
    [503, 'ServiceUnavailable', 'retry', null],
    [503, 'Shutdown', 'retry', null],
    [400, 'SomethingNew', 'rejected', null],
    [418, 'SomethingNew', 'rejected', null],
    [502, 'SomethingNew', 'retry', null],
  ])('a response of %i %s has the outcome "%s"', async (status, reason, outcome, retryAfterSeconds) => {
    bench.fake.respond('*', { status, reason, timestamp: 1_764_000_000_123 });
    const response = await bench.client().push('acct_1', newToken());
    expect(response).toMatchObject({ outcome, status, retryAfterSeconds, pushId: bench.fake.pushes[0]!.apnsId });
    expect(response.reason?.split(':')[0]).toBe(reason);
    expect(response.goneSince).toEqual(outcome === 'gone' ? new Date(1_764_000_000_123) : null);
  });

  it.each([400, 404, 405, 413])(
    'a %i response with an unknown reason is reported as an error of this program',
    async (status) => {
      bench.fake.respond('*', { status, reason: 'SomethingNew' });
      expect((await bench.client().push('acct_1', newToken())).reason).toContain('an error of this program');
    },
  );

  it.each([429, 503])(
    'a response with status %i delays the retry until the time in its Retry-After header',
    async (status) => {
      bench.fake.respond('*', { status, reason: 'Shutdown', retryAfter: 77 });
      expect(await bench.client().push('acct_1', newToken())).toMatchObject({
        outcome: 'retry',
        retryAfterSeconds: 77,
      });
    },
  );

  it.each(['', 'null', '[1]', '{"reason":{}}', '{"reason":"no <b>name</b>"}', '<html>', 'x'.repeat(100_000)])(
    'a response with the unreadable body %.20s gets the outcome of its status',
    async (body) => {
      bench.fake.respond('*', { status: 410, body });
      const result = await bench.client().push('acct_1', newToken());
      expect(result).toMatchObject({ outcome: 'gone', status: 410, goneSince: null });
      expect(result.reason).toBe('Status 410 without a reason');
    },
  );
});

describe('pushes rejected before sending', () => {
  afterEach(() => expect(bench.fake.connectionsSeen).toBe(0));

  it.each(['', 'a/../b', 'ab?x=1', 'ab\r\nx: y', 'ab cd', 'ä', '%61', 'a'.repeat(201)])(
    'a push with the invalid push token %j has the outcome "bad_token"',
    async (token) => {
      expect(await bench.client().push('acct_1', token)).toMatchObject({
        outcome: 'bad_token',
        pushId: null,
        status: null,
      });
    },
  );

  it('a push with a development certificate has the outcome "off" and is not sent', async () => {
    const push = new ApnsPush({ url: null, ca: null }, new CredentialsByAccount(bench.credential), bench.clock);
    expect(await push.push('acct_1', newToken())).toMatchObject({ outcome: 'off', pushId: null, status: null });
  });

  it('a push without a valid certificate has the outcome "credential_rejected", with the reason', async () => {
    const result = await bench.client({}, new CredentialsByAccount(null)).push('acct_1', newToken());
    expect(result).toMatchObject({
      outcome: 'credential_rejected',
      reason: 'The Apple Wallet certificate is out of date.',
    });
  });

  it('a push has the outcome "retry" when the certificate lookup fails', async () => {
    class Unreachable extends AppleCredentials {
      of = () => Promise.reject(new Error('password of the database'));
    }
    const push = new ApnsPush({ url: bench.fake.url, ca: null }, new Unreachable(), bench.clock);
    const result = await push.push('acct_1', newToken());
    expect(result.outcome).toBe('retry');
    expect(result.reason).not.toContain('password');
  });

  it('a push has the outcome "credential_rejected" when certificate and key do not match', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const broken = {
      ...bench.credential,
      privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const result = await bench.client({}, new CredentialsByAccount(broken)).push('acct_1', newToken());
    expect(result).toMatchObject({ outcome: 'credential_rejected', reason: expect.stringContaining('cannot be used') });
  });
});

describe('the stream window', () => {
  it('ApnsPush sends 1,000 pushes over one connection without exceeding its own stream limit', async () => {
    const tokens = newTokens(1000);
    const push = bench.client();
    const results = await Promise.all(tokens.map((token) => push.push('acct_1', token)));
    expect(results.every(({ outcome }) => outcome === 'accepted')).toBe(true);
    expect(bench.fake.pushes.map(({ token }) => token)).toEqual(tokens);
    expect(bench.fake.connectionsSeen).toBe(1);
    expect(bench.fake.mostOpenStreams).toBeGreaterThan(1);
    expect(bench.fake.mostOpenStreams).toBeLessThanOrEqual(500);
    expect(bench.fake.rejectedStreams).toBe(0);
  });

  it('ApnsPush opens only as many streams at once as the push service allows at that time', async () => {
    bench.fake.limitStreams(1);
    bench.fake.delay(5);
    const push = bench.client();
    await Promise.all(newTokens(10).map((token) => push.push('acct_1', token)));
    expect(bench.fake.mostOpenStreams).toBe(1);
    const later = newTokens(100).map((token) => push.push('acct_1', token));
    bench.fake.delay(100);
    bench.fake.limitStreams(50);
    for (const { outcome } of await Promise.all(later)) expect(outcome).toBe('accepted');
    expect(bench.fake.mostOpenStreams).toBe(50);
    expect(bench.fake.rejectedStreams).toBe(0);
    expect(bench.fake.connectionsSeen).toBe(1);
  });

  it('ApnsPush opens fewer streams when the push service lowers its limit', async () => {
    bench.fake.delay(5);
    const push = bench.client();
    await push.push('acct_1', newToken());
    bench.fake.limitStreams(2);
    await push.push('acct_1', newToken());
    bench.fake.mostOpenStreams = 0;
    await Promise.all(newTokens(20).map((token) => push.push('acct_1', token)));
    expect(bench.fake.mostOpenStreams).toBe(2);
    expect(bench.fake.rejectedStreams).toBe(0);
  });

  it('ApnsPush rejects pushes beyond the queue limit, and pushes that wait too long', async () => {
    const push = bench.client({ maxStreams: 1, maxWaiting: 2, waitTimeoutMs: 200, streamTimeoutMs: 1000 });
    // Open the connection in advance, because connecting would count as waiting time.
    await push.push('acct_1', newToken());
    bench.fake.hang('*');
    const sent = push.push('acct_1', newToken());
    await until(() => bench.fake.pushes.length === 2);
    const waiting = newTokens(2).map((token) => push.push('acct_1', token));
    const crowded = await push.push('acct_1', newToken());
    expect(crowded).toMatchObject({ outcome: 'retry', reason: expect.stringContaining('Too many') });
    for (const each of waiting) {
      expect(await each).toMatchObject({ outcome: 'retry', pushId: null, reason: 'No turn within 0.2 s.' });
    }
    expect(await sent).toMatchObject({ outcome: 'retry', reason: 'No response within 1 s.' });
  });
});

describe('pushAll', () => {
  it('pushAll returns mixed outcomes in the order of the push tokens', async () => {
    const [sound, gone, other] = newTokens(3);
    bench.fake.respond(gone!, { status: 410, reason: 'Unregistered' });
    const results = await bench.client().pushAll('acct_1', [sound!, 'no/token', gone!, other!]);
    expect(results.map((result) => result?.outcome)).toEqual(['accepted', 'bad_token', 'gone', 'accepted']);
    expect(results[0]?.pushId).toBe(bench.fake.pushes[0]!.apnsId);
  });

  it('pushAll stops sending once the push service has rejected the certificate', async () => {
    bench.fake.respond('*', { status: 403, reason: 'BadCertificate' });
    const responses = await bench.client({ maxStreams: 3 }).pushAll('acct_1', newTokens(20));
    const outcomes = responses.map((response) => response?.outcome ?? null);
    expect(outcomes).toEqual([...new Array<string>(3).fill('credential_rejected'), ...new Array<null>(17).fill(null)]);
    expect(bench.fake.pushes).toHaveLength(3);
  });

  it('pushAll returns an empty list for an empty list of push tokens', async () => {
    expect(await bench.client().pushAll('acct_1', [])).toEqual([]);
    expect(bench.fake.connectionsSeen).toBe(0);
  });
});
