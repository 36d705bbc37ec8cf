import { Database } from '@passwright/database';
import { TestApp } from '../test-app.fixtures.js';
import { MailLimitsRepository } from './mail-limits.repository.js';

let app: TestApp;

beforeAll(async () => (app = await TestApp.start()));
afterAll(() => app.stop());

it('a node whose clock is slow at midnight counts mails for the new day, even if a clock change shortens the day', async () => {
  const { id: accountId } = await app.account();
  const repository = app.get(MailLimitsRepository);
  const isCounted = (day: string) =>
    app.get(Database).transaction(async (tx) => {
      await tx.query("SET LOCAL TimeZone = 'Europe/Berlin'");
      return repository.countOfDay(tx, { accountId, together: [accountId], day: new Date(day), most: 2 });
    });
  // In Berlin, 28 March 2027 has 23 hours.
  expect(await isCounted('2027-03-29T00:00:00.000Z')).toBe(true);
  expect(await isCounted('2027-03-28T00:00:00.000Z')).toBe(true);
  expect(await isCounted('2027-03-29T00:00:00.000Z')).toBe(false);
});
