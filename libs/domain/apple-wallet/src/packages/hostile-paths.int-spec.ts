import fc from 'fast-check';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
  account = await app.account();
  await account.template('generic');
  await account.post('generic/ada', { primaryValue: '1' }).expect(200);
});
afterAll(() => app.stop());

it('the service does not return a server error for any path of a package', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('2026-01-01T00:00:00+14:00', '1969-12-31T23:59:59Z', '\u0000', 'batch'),
  );
  const segment = fc.oneof(text, fc.stringMatching(/^[\w.%/-]{1,80}$/)).map(encodeURIComponent);
  const paths = fc.oneof(
    fc.tuple(segment, segment).map(([a, b]) => `${a}/${b}`),
    segment.map((a) => `generic?code=${a}`),
  );
  await fc.assert(
    fc.asyncProperty(paths, segment, async (path, id) => {
      expect((await app.visit(`/v1/pass/${id}/${path}/walletA`)).status).toBeLessThan(500);
    }),
    { numRuns: 150 },
  );
});
