import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { BillingService } from '@passwright/billing';
import { FakeGoogleWallet, jobsIdle, testCertificates, testDatabase } from '@passwright/testing';
import { eventually, googleEnvironment } from '../support/google-wallet-world.js';
import { outboxMails } from '../support/mailed-codes.js';
import { operatorRun } from '../support/operator-run.js';
import { type Account, passBody, RunningService } from '../support/running-service.js';
import { deliver, StripeAccount, webhookSecret } from '../support/stripe.js';
import { testAccountOf } from '../support/test-account.js';
import { UnpackedPackage } from '../support/unpacked-package.js';

/* A service as in production. Its certificate comes from a fake of Apple's authority. */
const publicUrl = 'https://passes.example.com';
const passType = 'pass.com.example.operator';
let google: FakeGoogleWallet;
let service: RunningService;
let live: Account;
/** A test account of the user of `live`. */
let trial: Account;

beforeAll(async () => {
  const operator = testCertificates().pass({ passTypeIdentifier: passType, development: false });
  google = await FakeGoogleWallet.start({ route: () => service.baseUrl });
  service = await RunningService.start({
    BASE_URL: publicUrl,
    APPLE_CERTIFICATE: operator.certificatePem,
    APPLE_PRIVATE_KEY: operator.privateKeyPem,
    APPLE_INTERMEDIATE: operator.intermediatePem,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    ...googleEnvironment(google),
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await google.stop();
});
beforeEach(async () => {
  live = await service.register();
  trial = await testAccountOf(live);
});

/** Issues the pass `ada` of a template with images that Google can fetch. @returns the links of the pass */
async function issue(account: Account) {
  const images = Object.fromEntries(
    ['icon', 'logo', 'banner'].map((name) => [name, `${publicUrl}/images/samples/${name}.png`]),
  );
  expect(await account.saveTemplate('offer', 'offer', images)).toMatchObject({ status: 200 });
  const { status, body } = await account.post('/v1/pass/offer/ada', passBody('offer'));
  expect(status).toBe(200);
  return body as { walletAUrl: string; walletBUrl: string; webUrl: string };
}

describe('the flag of an account', () => {
  it('the account, the user’s accounts and the keys say that an account is a test account', async () => {
    expect((await live.get('/v1/account')).body.test).toBe(false);
    expect((await trial.get('/v1/account')).body.test).toBe(true);
    expect((await trial.get('/v1/auth/me')).body.accounts).toMatchObject([
      { id: live.id, test: false },
      { id: trial.id, test: true },
    ]);
    const { body: plain } = await live.post('/v1/auth/accounts', { name: 'Another' });
    expect((await service.request('GET', '/v1/account', { token: plain.accessToken })).body.test).toBe(false);
    expect(await live.apiKey()).toMatch(/^pw_live_/);
    const key = await trial.apiKey('account:read', 'account:write');
    expect(key).toMatch(/^pw_test_\w{22}_\w{22}_\w{49}$/);
    expect((await service.request('GET', '/v1/account', { token: key })).body.id).toBe(trial.id);
    const { body: keys } = await trial.get('/v1/auth/keys');
    expect(keys.data).toMatchObject([{ prefix: key.slice(0, 30) }]);
    const { body: rotated } = await trial.post(`/v1/auth/keys/${keys.data[0].id}/rotate`);
    expect(rotated.key).toMatch(/^pw_test_/);
  });

  it('401 unauthorized for a test account’s key with the prefix of a live key', async () => {
    const key = await trial.apiKey();
    const { status, body } = await service.request('GET', '/v1/templates', { token: key.replace('test', 'live') });
    expect([status, body.code]).toEqual([401, 'unauthorized']);
  });

  it('400 validation_failed for a change of a test account into a live one or back', async () => {
    const { status, body } = await trial.patch('/v1/account', { test: false });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect((await trial.get('/v1/account')).body.test).toBe(true);
  });

  it('the export and the audit trail of an account say that it is a test account', async () => {
    expect((await trial.get('/v1/account/export')).body.account.isTest).toBe(true);
    const { body } = await trial.get('/v1/account/events');
    expect(body.data).toContainEqual(
      expect.objectContaining({ action: 'account.created', after: { name: 'Engines (test)', test: true } }),
    );
  });
});

describe('wallet platforms', () => {
  it('the development chain signs the passes of a test account, and their pages say so', async () => {
    const links = { live: await issue(live), test: await issue(trial) };
    const read = async ({ walletAUrl }: { walletAUrl: string }) => {
      const { status, headers, bytes } = await service.request('GET', walletAUrl);
      expect(status).toBe(200);
      return { signing: headers.get('passwright-signing'), unpacked: await UnpackedPackage.of(bytes) };
    };
    const [ofLive, ofTest] = [await read(links.live), await read(links.test)];
    expect(ofLive.unpacked.pass.passTypeIdentifier).toBe(passType);
    expect([ofTest.signing, ofTest.unpacked.pass.passTypeIdentifier]).toEqual(['development', 'pass.dev.passwright']);
    ofTest.unpacked.verify(join(service.dataDir, 'development-chain', 'root.pem'));
    for (const { unpacked } of [ofLive, ofTest]) unpacked.remove();
    const page = async ({ webUrl }: { webUrl: string }) =>
      (await service.request('GET', webUrl, { headers: { Accept: 'text/html' } })).bytes.toString();
    const notice = /Apple Wallet and Google Wallet do not accept it/;
    expect([notice.test(await page(links.live)), notice.test(await page(links.test))]).toEqual([false, true]);
  });

  it('the certificates of a test account are the development ones, and no pushes are sent for it', async () => {
    expect((await live.get('/v1/account/walletA')).body).toMatchObject({ passTypeIdentifier: passType });
    expect((await trial.get('/v1/account/walletA')).body).toMatchObject({
      ...{ source: 'development', passTypeIdentifier: 'pass.dev.passwright', development: true },
      ...{ status: 'valid', problem: null, push: { state: 'off' } },
    });
    expect((await live.get('/v1/account/walletB')).body).toMatchObject({ source: 'operator', development: false });
    expect((await trial.get('/v1/account/walletB')).body).toMatchObject({ source: 'development', development: true });
  });

  it('Google gets the passes of a live account, and nothing of a test account', async () => {
    // The id of an object contains that of its account, without `acc_`.
    const hasObjects = ({ id }: Account) => JSON.stringify([...google.objects.values()]).includes(id.slice(4));
    const links = { live: await issue(live), test: await issue(trial) };
    const linkOf = async (path: string) =>
      (await service.request('GET', path, { headers: { Accept: 'application/json' } })).body;
    expect(await linkOf(links.test.walletBUrl)).toMatchObject({ development: true });
    await eventually('the live pass at Google', async () => {
      await linkOf(links.live.walletBUrl);
      return hasObjects(live);
    });
    await trial.patch('/v1/pass/offer/ada', { code: 'SECOND' });
    await jobsIdle((await testDatabase()).url, { tasks: ['templates.changed', 'google-wallet.mark'] });
    expect(hasObjects(trial)).toBe(false);
  }, 60_000);

  it('409 invalid_transition for uploading credentials to a test account', async () => {
    const { certificatePem, privateKeyPem, intermediatePem } = testCertificates().pass({
      passTypeIdentifier: passType,
    });
    const apple = { certificate: certificatePem, privateKey: privateKeyPem, intermediate: intermediatePem };
    const { issuerId, keyFile } = google.serviceAccount();
    const serviceAccount = { issuerId, serviceAccount: JSON.parse(keyFile) as object };
    const put = (path: string, body: object) => service.request('PUT', path, { token: trial.token, body });
    for (const { status, body } of [
      await put('/v1/account/walletA', apple),
      await put('/v1/account/walletB', serviceAccount),
      await trial.post('/v1/account/walletA/request'),
    ]) {
      expect([status, body.code]).toEqual([409, 'invalid_transition']);
      expect(body.message).toMatch(/^This is a test account, which always uses the development credentials/);
    }
    expect((await live.post('/v1/account/walletA/request')).status).toBe(200);
  });
});

describe('mails', () => {
  it('a test account mails passes only to its own users, and says so for other recipients', async () => {
    await issue(trial);
    const stranger = `${randomUUID()}@example.com`;
    for (const to of [stranger, live.email.toUpperCase()]) {
      expect((await trial.post('/v1/pass/offer/ada/send', { to })).status).toBe(202);
    }
    const settled = await eventually('both mails', async () => {
      const { body } = await trial.get('/v1/pass/offer/ada/mails');
      return body.data.every(({ status }: { status: string }) => status !== 'queued') ? body.data : null;
    });
    const problem = 'The mail is rejected: a test account sends mails only to its own users';
    expect(settled).toHaveLength(2);
    for (const mail of [
      { to: live.email.toUpperCase(), status: 'sent', problem: null },
      { to: stranger, status: 'failed', problem },
    ]) {
      expect(settled).toContainEqual(expect.objectContaining(mail));
    }
    expect(outboxMails(service.dataDir).filter((text) => text.includes(stranger))).toEqual([]);
  });

  it('a live account mails passes to anyone', async () => {
    await issue(live);
    const to = `${randomUUID()}@example.com`;
    await live.post('/v1/pass/offer/ada/send', { to });
    await eventually('the mail', () => outboxMails(service.dataDir).some((text) => text.includes(to)));
  });
});

describe('plans', () => {
  it('a payment for a test account changes neither its plan nor its limits', async () => {
    const stripe = new StripeAccount();
    const at = new Date('2026-11-20T10:00:00.000Z');
    expect(await deliver(service, stripe.checkout(trial.id, at))).toMatchObject({ status: 200 });
    const metadata = { accountId: trial.id, maxTemplates: '0' };
    expect(await deliver(service, stripe.subscription('created', at, { metadata }))).toMatchObject({ status: 200 });
    expect(await service.app.get(BillingService).of(trial.id)).toEqual({ enterpriseConfig: {} });
    // The limit of the event would leave the account without a template.
    await issue(trial);
  });

  it("the usage of a test account does not count towards the limits of the user's live account", async () => {
    await service.app.get(BillingService).set(live.id, { maxTemplates: 1, maxPassCreations: 1 });
    await issue(trial);
    await issue(live);
    expect((await live.post('/v1/pass/offer', passBody('offer'))).body.code).toBe('limit_exceeded');
    expect((await trial.post('/v1/pass/offer', passBody('offer'))).status).toBe(201);
  });

  it('the operator cannot give a test account a plan', async () => {
    await expect(service.app.get(BillingService).set(trial.id, { planId: 'pro' })).rejects.toMatchObject({
      statusCode: 409,
      code: 'invalid_transition',
    });
  });
});

it('the operator creates and lists test accounts', async () => {
  const environment = { DATABASE_URL: (await testDatabase()).url, DATA_DIR: service.dataDir };
  const name = `Operator ${randomUUID()}`;
  const words = ['accounts', 'create', '--name', name, '--admin-email', `${randomUUID()}@example.com`, '--test'];
  const created = await operatorRun(words, environment);
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^kind +test$/m) });
  const listed = await operatorRun(['--json', 'accounts', 'list', '--query', name], environment);
  expect(JSON.parse(listed.out)).toMatchObject([{ name, test: true }]);
});
