import { Database } from '@passwright/database';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  account = await app.account();
});

const packageTag = async (pass: string) => (await app.head(`/v1/pass/${account.id}/${pass}/walletA`)).headers.etag;

it('a pass that exceeds a limit because of a template change can still be changed and downloaded', async () => {
  const field = (key: string) => ({ key, label: key, value: key });
  await account.template('offer');
  await account.post('offer/ada', { fields: ['a', 'b', 'c', 'd'].map(field) });
  const fields = JSON.stringify([field('e')]);
  await app.get(Database).reads.query('UPDATE template SET fields = $2 WHERE account_id = $1', [account.id, fields]);

  await account.patch('offer/ada', { code: 'ONE' }).expect(200);
  await app.visit(`/v1/pass/${account.id}/offer/ada/walletA`).expect(200);
});

it('the service keeps the package’s ETag when the same thumbnail is sent again', async () => {
  await account.template('generic');
  const thumbnail = await app.imageUrl(account.id, '#111');
  await account.post('generic/ada', { primaryValue: '1', thumbnail });
  const before = await packageTag('generic/ada');
  expect(before).toMatch(/^W\/"/);
  await account.patch('generic/ada', { thumbnail });
  expect(await packageTag('generic/ada')).toBe(before);
});

it('the service keeps the package’s ETag when the metadata is replaced', async () => {
  await account.template('offer');
  await account.post('offer/ada', { metadata: { a: 1 } });
  const before = await packageTag('offer/ada');
  expect(before).toMatch(/^W\/"/);
  app.clock.advance(60);
  await account.patch('offer/ada/metadata', { metadata: { b: 2 } }).expect(200);
  expect(await packageTag('offer/ada')).toBe(before);
});
