import { Logger } from '@nestjs/common';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { TestApp, type TestAccount } from '../test-app.fixtures.js';
import { GoogleWorld } from '../google-world.fixtures.js';
import { GoogleResourcesRepository } from '../sync/google-resources.repository.js';

let app: TestApp;
let world: GoogleWorld;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  world = new GoogleWorld(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.google.reset();
  account = await app.account();
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
});

/** Returns the objects that a scripted link refers to. */
function payloadOf(url: string): Record<string, { id: string }[]> {
  return JSON.parse(Buffer.from(url.split('/').at(-1)!, 'base64url').toString()) as Record<string, { id: string }[]>;
}

describe('the first save link of a pass', () => {
  it('the service writes the class and then the object, and the link refers to the object by its id', async () => {
    const { body, headers } = await world.link(account, 'offer/ada').expect(200);
    const serial = await world.serialOf(account, 'ada');
    expect(body).toEqual({
      url: expect.stringMatching(/^https:\/\/pay\.google\.com\/gp\/v\/save\//),
      development: false,
      notes: [
        expect.stringMatching(/^Images are left out, as Google cannot fetch them: BASE_URL .* is no https address/),
      ],
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: expect.stringContaining('Accept') });
    expect(app.google.writesOf(account.id)).toEqual(['class holder', 'object holder']);
    const { offerObjects } = payloadOf(body.url);
    expect(offerObjects).toMatchObject([{ id: `${app.google.issuerId}.${serial}` }]);
    expect(JSON.stringify(payloadOf(body.url))).not.toMatch(/\bada\b|offer\/|acc_/);
    expect(await world.rows(account)).toMatchObject([{ dueAt: null }, { dueAt: null, serialNumber: serial }]);
  });

  it('the service redirects a browser to the save link', async () => {
    const { status, headers } = await world.link(account, 'offer/ada').set('Accept', 'text/html,*/*').redirects(0);
    expect([status, headers.location]).toEqual([302, expect.stringContaining('/gp/v/save/')]);
  });

  it('the service writes a pass to Google only at the first request for its link', async () => {
    expect(app.google.writesOf(account.id)).toEqual([]);
    await account.post('offer/bob', {}).expect(200);
    await world.link(account, 'offer/ada').expect(200);
    await world.link(account, 'offer/ada').expect(200);
    await world.link(account, 'offer/bob').expect(200);
    expect(app.google.writesOf(account.id)).toEqual(['class holder', 'object holder', 'object holder']);
  });

  it('many simultaneous requests for a link cause only one write of the class and one of the object', async () => {
    const asked = Array.from({ length: 8 }, () => world.link(account, 'offer/ada'));
    const results = await Promise.all(asked);
    expect(results.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(app.google.writesOf(account.id)).toEqual(['class holder', 'object holder']);
  });

  it('the service recreates a class that Google has lost', async () => {
    await world.link(account, 'offer/ada').expect(200);
    await account.post('offer/bob', {}).expect(200);
    let lost = true;
    app.google.result = ({ part }) => {
      if (part === 'class') lost = false;
      return part === 'object' && lost ? { outcome: 'no_class', status: 404, reason: 'classNotFound' } : {};
    };
    await world.link(account, 'offer/bob').expect(200);
    expect(app.google.writesOf(account.id).slice(2)).toEqual(['object holder', 'class holder', 'object holder']);
  });
});

it('the service does not sign the content of a development link if the link would be too long', async () => {
  app.google.development = true;
  const saveLink = jest.spyOn(app.google, 'saveLink');
  const backFields = Array.from({ length: 10 }, (_, n) => ({ key: `b${n}`, label: 'Terms', value: 'x'.repeat(1000) }));
  await account.post('offer/long', { backFields }).expect(200);
  const { body } = await world.link(account, 'offer/long').expect(200);
  expect(body).toMatchObject({ development: true, notes: expect.arrayContaining([expect.stringContaining('only')]) });
  expect(saveLink).toHaveBeenCalledTimes(1);
  saveLink.mockRestore();
});

it('the service sends the new content to Google after a template is deleted and created again', async () => {
  await world.link(account, 'offer/ada').expect(200);
  await account.delete('offer/ada').expect(204);
  await app.get(TemplatesService).delete(account.id, 'offer');
  await app.get(Database).reads.query('DELETE FROM deleted_pass WHERE account_id = $1', [account.id]);
  const icon = await app.imageUrl(account.id, '#336699');
  const look = { issuerName: 'Analytical Engines', foregroundColor: '#fff', backgroundColor: '#123' };
  const request = { type: 'offer', title: 'Made again', icon, logo: icon, banner: icon, ...look };
  await app.send('post', '/v1/templates/offer', account.id).send(request).expect(200);
  const [job] = await app
    .get(Database)
    .reads.query<{ payload: { templateId: string } }[]>(
      `SELECT payload FROM graphile_worker._private_jobs WHERE key = $1`,
      [`templates.changed:${account.id}/offer`],
    );
  expect(job?.payload).toEqual({ accountId: account.id, templateId: 'offer' });
  await world.sendTemplate(account.id, 'offer');
  expect([...app.google.held.values()]).toContainEqual(expect.objectContaining({ title: 'Made again' }));
});

describe('when Google does not accept a pass', () => {
  it('503 wallet_unavailable for a temporary failure, although passes can still be issued and Google gets them later', async () => {
    app.google.result = () => ({ outcome: 'retry', status: 503, reason: 'backendError' });
    const { body, headers } = await world.link(account, 'offer/ada').expect(503);
    expect([body.code, headers['retry-after']]).toEqual(['wallet_unavailable', '60']);
    await account.post('offer/bob', {}).expect(200);
    app.google.reset();
    app.clock.advance(3600);
    await world.send();
    expect(app.google.writesOf(account.id)).toContain('object background');
    expect(await world.rows(account)).toMatchObject([{ problem: null }, { problem: null, dueAt: null }]);
  });

  it('503 for a rejected object, which the service sends again only after a change', async () => {
    app.google.result = ({ part }) =>
      part === 'object' ? { outcome: 'rejected', status: 400, reason: 'invalid: id' } : {};
    const { body } = await world.link(account, 'offer/ada').expect(503);
    expect(body.message).toContain('/v1/templates/{templateId}/walletB');
    const { body: progress } = await app.send('get', '/v1/templates/offer/walletB', account.id).expect(200);
    expect(progress).toMatchObject({
      class: { state: 'current' },
      objects: { total: 1, refused: 1, waiting: 0, problem: 'invalid: id' },
    });
    const before = app.google.writes.length;
    await world.link(account, 'offer/ada').expect(503);
    expect(app.google.writes).toHaveLength(before);
    app.google.result = () => ({});
    await account.patch('offer/ada', { code: 'NEW' }).expect(200);
    await world.send();
    expect(app.google.objectOf(await world.serialOf(account, 'ada'))).toMatchObject({ barcode: { value: 'NEW' } });
  });

  it('a rejected credential stops all writes for a while, and the progress and one logged error show the reason', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    app.google.result = () => ({ outcome: 'credential_rejected', status: 403, reason: 'permissionDenied' });
    await world.link(account, 'offer/ada').expect(503);
    const before = app.google.writes.length;
    await world.link(account, 'offer/ada').expect(503);
    await world.send();
    expect(app.google.writes).toHaveLength(before);
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/^Google Wallet rejects .*permissionDenied/)]]);
    logged.mockRestore();
    const { body } = await app.send('get', '/v1/templates/offer/walletB', account.id).expect(200);
    expect(body.halt).toMatchObject({ reason: 'permissionDenied' });

    app.google.result = () => ({});
    app.clock.advance(120);
    await world.link(account, 'offer/ada').expect(200);
    const after = await app.send('get', '/v1/templates/offer/walletB', account.id).expect(200);
    expect(after.body).toMatchObject({ halt: null, class: { state: 'current' }, objects: { total: 1, waiting: 0 } });
  });

  it('503 with an explanation for a membership whose logo Google cannot fetch', async () => {
    await account.template('membership');
    await account.post('membership/ada', { primaryValue: 'Ada' }).expect(200);
    const { body } = await world.link(account, 'membership/ada').expect(503);
    expect(body.message).toMatch(/logo.*BASE_URL/);
    const page = await world.link(account, 'membership/ada').set('Accept', 'text/html').expect(503);
    expect(page.text).toMatch(/^<!doctype html>/i);
  });
});

it('a development link contains the whole content, and the service writes nothing to Google', async () => {
  app.google.development = true;
  const { body, headers } = await world.link(account, 'offer/ada').expect(200);
  expect(body).toMatchObject({
    development: true,
    notes: [expect.stringContaining('development'), expect.any(String)],
  });
  expect(headers['passwright-signing']).toBe('development');
  expect(Object.keys(payloadOf(body.url)).sort()).toEqual(['offerClasses', 'offerObjects']);
  expect([app.google.writes, await world.rows(account)]).toEqual([[], []]);
});

it('a save link of a void pass has a note that the pass is no longer valid', async () => {
  await account.post('offer/ada/void').expect(200);
  const { body } = await world.link(account, 'offer/ada').expect(200);
  expect(body.notes).toContainEqual(expect.stringMatching(/^Not valid any more.*offer:ada/));
});

it('a long development link omits the layout, and the notes say so', async () => {
  app.google.development = true;
  const long = { key: 'terms', label: 'Terms', value: 'x'.repeat(400) };
  await account.post('offer/medium', { backFields: [long] }).expect(200);
  const { body } = await world.link(account, 'offer/medium').expect(200);
  expect(body.url.split('/').at(-1).length).toBeLessThanOrEqual(1800);
  const [offer] = payloadOf(body.url).offerClasses as object[];
  expect(offer).toHaveProperty('title');
  expect(offer).not.toHaveProperty('classTemplateInfo');
  expect(body.notes).toContainEqual(expect.stringContaining('leaves out the layout'));
});

it('a very long development link contains only ids, and the notes say so', async () => {
  app.google.development = true;
  const backFields = Array.from({ length: 9 }, (_, n) => ({ key: `k${n}`, label: 'Terms', value: 'x'.repeat(200) }));
  await account.post('offer/long', { backFields }).expect(200);
  const { body } = await world.link(account, 'offer/long').expect(200);
  expect(body.url.split('/').at(-1).length).toBeLessThanOrEqual(1800);
  expect([Object.keys(payloadOf(body.url)), body.notes]).toEqual([
    ['offerObjects'],
    expect.arrayContaining([expect.stringContaining('1800 characters')]),
  ]);
});

it('404 pass_not_found for a missing pass, without a request to Google', async () => {
  const { body } = await world.link(account, 'offer/nobody').expect(404);
  expect(body.code).toBe('pass_not_found');
  expect(app.google.writes).toEqual([]);
});

it('the service writes a Google object again if its lease expires during the write', async () => {
  await world.link(account, 'offer/ada').expect(200);
  await account.patch('offer/ada', { code: 'A' }).expect(200);
  const resources = app.get(GoogleResourcesRepository);
  app.google.result = async ({ part }) => {
    if (part === 'class') return {};
    // This node hangs for longer than its lease, so another node takes over.
    app.google.result = () => ({});
    app.clock.advance(120);
    const owner = { accountId: account.id, issuerId: app.google.issuerId };
    const [claimed] = await resources.claimDue(owner, 10, app.clock.now());
    expect(claimed).toBeDefined();
    return {};
  };
  await world.send();
  const [, object] = await world.rows(account);
  expect(object).toMatchObject({ sentHash: null, dueAt: expect.any(Date), leasedUntil: expect.any(Date) });
  await app
    .get(Database)
    .reads.query('UPDATE google_resource SET leased_until = NULL WHERE account_id = $1', [account.id]);
  await world.send();
  expect((await world.rows(account))[1]).toMatchObject({ sentHash: expect.any(Buffer), dueAt: null });
});

it('404 pass_not_found with the same body for a missing pass, template or account', async () => {
  await account.expectNoPasses((address) => `/v1/pass/${address}/walletB`);
});
