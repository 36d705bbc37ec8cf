import type { TestingModule } from '@nestjs/testing';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import type { FixedClock } from '@passwright/testing';
import { CertificateChanges } from './certificate-changes.js';
import { anAccount, aPassOf, aRequest, templatesModule } from './templates.fixtures.js';
import { TemplatesService } from './templates.service.js';

let nest: TestingModule;

beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
});
afterAll(() => nest.close());

const context = { signal: new AbortController().signal };

it('makes a new version of every pass of the account, and of none of another, a second after the last', async () => {
  const [account, other] = [await anAccount(nest), await anAccount(nest)];
  const templates = nest.get(TemplatesService);
  const clock = nest.get<FixedClock>(Clock);
  clock.set('2026-11-20T10:00:00.000Z');
  for (const [accountId, id] of [
    [account, 'a'],
    [account, 'b'],
    [other, 'a'],
  ] as const) {
    await templates.upsert(accountId, id, await aRequest(), null);
  }
  await aPassOf(nest, account, 'b', 'offer');
  await nest
    .get(Database)
    .transaction((tx) =>
      tx.query(`UPDATE pass SET updated_at = '2026-11-20T10:00:07Z' WHERE account_id = $1`, [account]),
    );
  await nest.get(CertificateChanges).renew({ accountId: account }, context);

  const updated = async (accountId: string, id: string) =>
    (await templates.get(accountId, id)).updatedAt.toISOString().slice(11, 19);
  expect(await updated(account, 'a')).toBe('10:00:01');
  expect(await updated(account, 'b')).toBe('10:00:08');
  expect(await updated(other, 'a')).toBe('10:00:00');
});
