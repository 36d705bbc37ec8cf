import { constants } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { PushResult } from '@passwright/core';
import { freePort } from '@passwright/testing';
import { ApnsPush } from './apns-push.js';
import { CredentialsByAccount, newToken, newTokens, PushBench, Relay, until } from './apple-push.fixtures.js';

let bench: PushBench;
beforeAll(async () => {
  bench = await PushBench.start();
});
afterEach(() => bench.clear());
afterAll(() => bench.fake.stop());

const outcomes = (results: readonly PushResult[]) => new Set(results.map(({ outcome }) => outcome));

describe('a connection that ends', () => {
  it('ApnsPush loses no push when the push service sends GOAWAY during a burst', async () => {
    const push = bench.client();
    const burst = newTokens(2000).map((token) => push.push('acct_1', token));
    await until(() => bench.fake.pushes.length > 700);
    bench.fake.goAway();
    const results = await Promise.all(burst);
    const accepted = results.filter(({ outcome }) => outcome === 'accepted').map(({ pushId }) => pushId);
    expect([...outcomes(results)].filter((outcome) => outcome !== 'accepted' && outcome !== 'retry')).toEqual([]);
    expect(new Set(accepted)).toEqual(new Set(bench.fake.pushes.map(({ apnsId }) => apnsId)));
    // The next connection has sent the waiting pushes.
    expect(accepted.length).toBeGreaterThan(1400);
    expect(bench.fake.connectionsSeen).toBe(2);
  });

  it.each([
    ['GOAWAY with an error', () => bench.fake.goAway(constants.NGHTTP2_INTERNAL_ERROR)],
    ['a connection that breaks', () => bench.fake.dropConnections()],
  ])('%s gives open pushes the outcome "retry", and waiting pushes use a new connection', async (_what, end) => {
    const push = bench.client({ maxStreams: 5 });
    bench.fake.hang('*', 5);
    const open = newTokens(5).map((token) => push.push('acct_1', token));
    await until(() => bench.fake.pushes.length === 5);
    const waiting = newTokens(5).map((token) => push.push('acct_1', token));
    end();
    expect(outcomes(await Promise.all(open))).toEqual(new Set(['retry']));
    expect(outcomes(await Promise.all(waiting))).toEqual(new Set(['accepted']));
    expect(bench.fake.connectionsSeen).toBe(2);
  });

  it.each([
    [503, 'Shutdown'],
    [400, 'IdleTimeout'],
  ])('ApnsPush replaces the connection after the response %i %s', async (status, reason) => {
    const push = bench.client();
    bench.fake.respond('*', { status, reason, times: 1 });
    expect((await push.push('acct_1', newToken())).outcome).toBe('retry');
    expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
    expect(bench.fake.connectionsSeen).toBe(2);
  });

  it('ApnsPush does not open a new connection for each push that a busy push service rejects', async () => {
    const push = bench.client();
    await push.push('acct_1', newToken());
    bench.fake.respond('*', { status: 503, reason: 'ServiceUnavailable' });
    for (const token of newTokens(20)) expect((await push.push('acct_1', token)).outcome).toBe('retry');
    expect(bench.fake.connectionsSeen).toBeLessThanOrEqual(3);
  });
});

describe('silence', () => {
  it('ApnsPush gives a push without a response the outcome "retry" after the stream timeout, and frees its stream', async () => {
    const push = bench.client({ streamTimeoutMs: 500, maxStreams: 1 });
    const tokens = newTokens(3);
    bench.fake.hang(tokens[0]!);
    const results = await Promise.all(tokens.map((token) => push.push('acct_1', token)));
    expect(results.map(({ outcome }) => outcome)).toEqual(['retry', 'accepted', 'accepted']);
    expect(results[0]).toMatchObject({ status: null, reason: 'No response within 0.5 s.', pushId: null });
    expect(bench.fake.connectionsSeen).toBe(1);
  });

  it('ApnsPush detects a dead connection by PING, and sends later pushes over a new connection', async () => {
    const push = bench.client({ busyPingAfterMs: 20, pingTimeoutMs: 500 });
    await push.push('acct_1', newToken());
    bench.fake.freeze();
    const lost = await Promise.all(newTokens(3).map((token) => push.push('acct_1', token)));
    for (const result of lost) {
      expect(result).toMatchObject({ outcome: 'retry', reason: expect.stringContaining('PING') });
    }
    expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
    expect(bench.fake.connectionsSeen).toBe(2);
  });

  it('ApnsPush checks an idle connection by PING and drops the connection only if the peer is silent', async () => {
    const relay = await Relay.to(bench.fake.url);
    const limits = { idlePingAfterMs: 10, pingTimeoutMs: 500 };
    const push = bench.client(limits, undefined, relay.url);
    await push.push('acct_1', newToken());
    // A PING frame has 17 bytes, and its TLS record adds 22.
    const sent = relay.bytes;
    await until(() => relay.bytes > sent + 3 * 39);
    expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
    expect(bench.fake.connectionsSeen).toBe(1);
    relay.freeze();
    await until(() => relay.clients.size === 0);
    relay.close();
  });

  it('ApnsPush closes a connection that has been unused for a long time', async () => {
    const push = bench.client({ idleCloseMs: 20, streamTimeoutMs: 500 });
    await push.push('acct_1', newToken());
    await until(() => bench.fake.openConnections === 0);
    expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
  });

  it('ApnsPush closes a connection whose peer accepts it and then stays silent', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
    await until(() => silent.listening);
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const push = new ApnsPush({ url, ca: null }, new CredentialsByAccount(bench.credential), bench.clock, {
      connectTimeoutMs: 50,
      streamTimeoutMs: 40,
    });
    expect(await push.push('acct_1', newToken())).toMatchObject({
      outcome: 'retry',
      pushId: null,
      reason: 'The push service did not take a connection within 0.05 s.',
      retryAfterSeconds: 1,
    });
    await push.onApplicationShutdown();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

describe('a connection that fails', () => {
  afterEach(() => jest.restoreAllMocks());

  it('ApnsPush pauses after a failed connection instead of connecting for each push', async () => {
    const push = bench.client({ backoffFirstMs: 1000, backoffMostMs: 1000 });
    // Stop the clock, so that no pause ends before the next push.
    const began = performance.now();
    const time = jest.spyOn(performance, 'now').mockReturnValue(began);
    bench.fake.rejectConnections();
    const results = await Promise.all(newTokens(50).map((token) => push.push('acct_1', token)));
    for (const token of newTokens(50)) results.push(await push.push('acct_1', token));
    for (const result of results) {
      expect(result).toMatchObject({ outcome: 'retry', pushId: null, status: null, retryAfterSeconds: 1 });
      expect(result.reason).toContain('ECONNRESET');
    }
    expect(bench.fake.connectionsSeen).toBe(1);
    bench.fake.reset();
    time.mockReturnValue(began + 1000);
    expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
    expect(bench.fake.connectionsSeen).toBe(2);
  });

  it('ApnsPush pauses when the push service immediately closes each new connection', async () => {
    const push = bench.client({ backoffFirstMs: 10_000, backoffMostMs: 10_000 });
    bench.fake.respond('*', { status: 503, reason: 'Shutdown' });
    for (const token of newTokens(20)) expect((await push.push('acct_1', token)).outcome).toBe('retry');
    expect(bench.fake.connectionsSeen).toBe(2);
  });

  it('ApnsPush gives a push the outcome "credential_rejected" when the TLS handshake fails on the certificate', async () => {
    bench.fake.rejectCertificates();
    const push = bench.client();
    const results = await Promise.all(newTokens(3).map((token) => push.push('acct_1', token)));
    for (const result of results) {
      expect(result).toMatchObject({
        outcome: 'credential_rejected',
        pushId: null,
        status: null,
        retryAfterSeconds: null,
      });
      expect(result.reason).toMatch(/rejected the certificate.*BAD_CERTIFICATE/);
    }
  });

  it('ApnsPush gives a push the outcome "retry" when the push service has an untrusted certificate', async () => {
    const push = new ApnsPush(
      { url: bench.fake.url, ca: null },
      new CredentialsByAccount(bench.credential),
      bench.clock,
    );
    const result = await push.push('acct_1', newToken());
    expect(result).toMatchObject({ outcome: 'retry', reason: expect.stringContaining('is not trusted') });
  });

  it('ApnsPush gives a push the outcome "retry" when the port is closed', async () => {
    const options = { url: `https://127.0.0.1:${await freePort()}`, ca: null };
    const push = new ApnsPush(options, new CredentialsByAccount(bench.credential), bench.clock);
    expect(await push.push('acct_1', newToken())).toMatchObject({
      outcome: 'retry',
      reason: expect.stringContaining('ECONNREFUSED'),
      retryAfterSeconds: 1,
    });
  });
});
