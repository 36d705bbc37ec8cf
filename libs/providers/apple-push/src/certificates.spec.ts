import { Test } from '@nestjs/testing';
import { AppleCredentials, ApplePush, ClockModule } from '@passwright/core';
import { testCertificates } from '@passwright/testing';
import { Global, Module } from '@nestjs/common';
import { ApplePushModule } from './apple-push.module.js';
import { CredentialsByAccount, newToken, newTokens, PushBench, Relay, until } from './apple-push.fixtures.js';

let bench: PushBench;
beforeAll(async () => {
  bench = await PushBench.start();
});
afterEach(() => bench.clear());
afterAll(() => bench.fake.stop());

const uids = () => bench.fake.pushes.map(({ certificateUid }) => certificateUid);

it('accounts with the same certificate share one connection, and an account with another certificate has its own', async () => {
  const credentials = new CredentialsByAccount(bench.credential);
  credentials.accounts.set('acct_own', bench.certificates.pass({ passTypeIdentifier: 'pass.com.example.own' }));
  const push = bench.client({}, credentials);
  for (const account of ['acct_1', 'acct_own', 'acct_2', 'acct_own']) {
    expect((await push.push(account, newToken())).outcome).toBe('accepted');
  }
  expect(uids()).toEqual([0, 1, 0, 1].map((own) => (own ? 'pass.com.example.own' : 'pass.com.example.test')));
  expect(bench.fake.pushes.map(({ topic }) => topic)).toEqual(uids());
  expect(bench.fake.connectionsSeen).toBe(2);
});

it('a changed certificate gets a new connection, and the old connection closes once its pushes have ended', async () => {
  const credentials = new CredentialsByAccount(null);
  credentials.accounts.set('acct_1', bench.credential);
  const push = bench.client({}, credentials);
  bench.fake.delay(30);
  const before = newTokens(20).map((token) => push.push('acct_1', token));
  await until(() => bench.fake.pushes.length === 20);
  credentials.accounts.set('acct_1', bench.certificates.pass({ passTypeIdentifier: 'pass.com.example.renewed' }));
  expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
  expect(uids().at(-1)).toBe('pass.com.example.renewed');
  for (const { outcome } of await Promise.all(before)) expect(outcome).toBe('accepted');
  await until(() => bench.fake.openConnections === 1);
  expect((await push.push('acct_1', newToken())).outcome).toBe('accepted');
  expect(bench.fake.connectionsSeen).toBe(2);
});

it('the connection of a replaced certificate stays open while another account uses it', async () => {
  const credentials = new CredentialsByAccount(bench.credential);
  const push = bench.client({}, credentials);
  await push.push('acct_1', newToken());
  await push.push('acct_2', newToken());
  credentials.accounts.set('acct_1', bench.certificates.pass({ passTypeIdentifier: 'pass.com.example.own' }));
  await push.push('acct_1', newToken());
  await push.push('acct_2', newToken());
  expect(bench.fake.connectionsSeen).toBe(2);
  expect(bench.fake.openConnections).toBe(2);
});

it('ApnsPush closes the least recently used connection when too many are open', async () => {
  const credentials = new CredentialsByAccount(bench.credential);
  for (const account of ['b', 'c']) {
    credentials.accounts.set(account, bench.certificates.pass({ passTypeIdentifier: `pass.com.example.${account}` }));
  }
  const push = bench.client({ maxSessions: 2 }, credentials);
  for (const account of ['a', 'b', 'a', 'c']) await push.push(account, newToken());
  await until(() => bench.fake.openConnections === 2);
  await push.push('a', newToken());
  expect(bench.fake.connectionsSeen).toBe(3);
});

it('a push has the outcome "credential_rejected" when the push service does not know the certificate issuer', async () => {
  const credentials = new CredentialsByAccount(testCertificates().pass());
  const result = await bench.client({}, credentials).push('acct_1', newToken());
  expect(result).toMatchObject({
    outcome: 'credential_rejected',
    status: 403,
    reason: expect.stringMatching(/^BadCertificate: /),
  });
});

describe('shutdown', () => {
  it('shutdown waits for responses to sent pushes, and gives waiting pushes the outcome "retry"', async () => {
    bench.fake.delay(50);
    const push = bench.client({ maxStreams: 10 });
    const pushes = newTokens(15).map((token) => push.push('acct_1', token));
    await until(() => bench.fake.pushes.length === 10);
    const stopped = push.onApplicationShutdown();
    expect((await push.push('acct_1', newToken())).outcome).toBe('retry');
    const results = await Promise.all(pushes);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...new Array<string>(10).fill('accepted'),
      ...new Array<string>(5).fill('retry'),
    ]);
    await stopped;
    await until(() => bench.fake.openConnections === 0);
  });

  it('shutdown does not wait long for a push service that does not respond', async () => {
    bench.fake.hang('*');
    const push = bench.client({ shutdownMs: 50 });
    const result = push.push('acct_1', newToken());
    await until(() => bench.fake.pushes.length === 1);
    await push.onApplicationShutdown();
    expect(await result).toMatchObject({ outcome: 'retry', reason: 'The service is stopping.' });
  });

  it('shutdown completes even if a peer never closes its connection', async () => {
    const relay = await Relay.to(bench.fake.url);
    const push = bench.client({ pingTimeoutMs: 50, streamTimeoutMs: 100, shutdownMs: 60_000 }, undefined, relay.url);
    await push.push('acct_1', newToken());
    relay.freeze();
    await push.onApplicationShutdown();
    relay.close();
  });

  it('shutdown completes while the connection of a replaced certificate is still closing', async () => {
    bench.fake.hang('*', 1);
    const credentials = new CredentialsByAccount(bench.credential);
    const push = bench.client({ shutdownMs: 50 }, credentials);
    const result = push.push('acct_1', newToken());
    await until(() => bench.fake.pushes.length === 1);
    credentials.accounts.set('acct_1', bench.certificates.pass());
    await push.push('acct_1', newToken());
    await push.onApplicationShutdown();
    expect((await result).outcome).toBe('retry');
  });
});

it('ApplePushModule provides ApplePush and closes it with the app', async () => {
  const credentials = new CredentialsByAccount(bench.credential);
  @Global()
  @Module({ providers: [{ provide: AppleCredentials, useValue: credentials }], exports: [AppleCredentials] })
  class Certificates {}
  const { url, ca } = bench.fake;
  const app = await Test.createTestingModule({
    imports: [ClockModule, Certificates, ApplePushModule.forRoot({ url, ca })],
  }).compile();
  expect((await app.get(ApplePush).push('acct_1', newToken())).outcome).toBe('accepted');
  await app.close();
  await until(() => bench.fake.openConnections === 0);
});
