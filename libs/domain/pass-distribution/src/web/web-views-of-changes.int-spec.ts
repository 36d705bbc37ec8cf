import fc from 'fast-check';
import { Database } from '@passwright/database';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
});

const pageOf = (passId: string) => app.visit(`/p/${account.id}/offer/${passId}?lang=en`).expect(200);

async function saveTemplate(codeFormat?: string): Promise<void> {
  const image = await app.imageUrl(account.id, '#336699');
  const look = { foregroundColor: '#fff', backgroundColor: '#103060', icon: image, logo: image, banner: image };
  const body = { ...look, title: 'Autumn concert', issuerName: 'Harbour Hall', codeFormat };
  await app.send('post', '/v1/templates/offer', account.id).send(body).expect(200);
}

it('the service serves a new version of the page when the template’s barcode format changes', async () => {
  await saveTemplate();
  await account.post('offer/ada', { code: 'HH-42' }).expect(200);
  const before = await pageOf('ada');
  app.clock.advance(60);
  await saveTemplate('code128');
  const after = await pageOf('ada');
  expect(before.text).toContain('aria-label="QR code of this pass: HH-42"');
  expect(after.text).toContain('aria-label="Barcode of this pass (Code 128): HH-42"');
  expect(after.headers.etag).not.toBe(before.headers.etag);
});

it('the service shows a QR code if the template’s barcode format cannot hold an older code', async () => {
  await saveTemplate();
  await account.post('offer/old', { code: 'Ж-42' }).expect(200);
  app.clock.advance(60);
  await saveTemplate('code128');
  expect((await pageOf('old')).text).toContain('aria-label="QR code of this pass: Ж-42"');
});

it('a membership’s page does not show a save link while Google cannot fetch the logo', async () => {
  await account.template('membership');
  await account.post('membership/ada', { primaryValue: 'Ada' }).expect(200);
  const { text } = await app.visit(`/p/${account.id}/membership/ada`).expect(200);
  expect(text).not.toContain('walletB');
});

it('the service shows the page of a pass even if a template change makes the pass exceed a limit', async () => {
  const field = (key: string) => ({ key, label: key, value: key });
  await account.template('offer');
  await account.post('offer/ada', { fields: ['a', 'b', 'c', 'd'].map(field) });
  const fields = JSON.stringify([field('e')]);
  await app.get(Database).reads.query('UPDATE template SET fields = $2 WHERE account_id = $1', [account.id, fields]);
  await pageOf('ada');
});

it('the service does not return a server error for any address of a page', async () => {
  const segment = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => encodeURIComponent(text));
  await fc.assert(
    fc.asyncProperty(segment, segment, segment, async (id, template, pass) => {
      expect((await app.visit(`/p/${id}/${template}/${pass}`)).status).toBeLessThan(500);
    }),
    { numRuns: 150 },
  );
});

it('404 pass_not_found with the same body for a missing pass, template or account', async () => {
  await account.template('offer');
  await account.post('offer/ada', {}).expect(200);
  await account.expectNoPasses((address) => `/p/${address}`);
});
