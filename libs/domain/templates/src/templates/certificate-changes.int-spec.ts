import type { TestingModule } from '@nestjs/testing';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import type { FixedClock } from '@passwright/testing';
import { TemplateChanged, TemplatesLeftToRenew } from './templates.jobs.js';
import { CertificateChangesHandlers } from './certificate-changes.handlers.js';
import { anAccount, aPassOf, aRequest, templatesModule } from '../templates.fixtures.js';
import { TemplatesService } from './templates.service.js';

let nest: TestingModule;

beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
});
afterAll(() => nest.close());

const context = { signal: new AbortController().signal };

it('the service creates a new version of every pass of the account, but not of another account’s passes', async () => {
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
  await nest.get(CertificateChangesHandlers).renew({ accountId: account }, context);

  const updated = async (accountId: string, id: string) =>
    (await templates.get(accountId, id)).updatedAt.toISOString().slice(11, 19);
  expect(await updated(account, 'a')).toBe('10:00:01');
  expect(await updated(account, 'b')).toBe('10:00:08');
  expect(await updated(other, 'a')).toBe('10:00:00');
});

/** Returns the payloads of a task's jobs for the account. */
async function jobs<Payload>(task: string, accountId: string): Promise<Payload[]> {
  const rows = await nest.get(Database).reads.query<{ payload: Payload }[]>(
    `SELECT job.payload
     FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
     WHERE task.identifier = $1 AND job.payload->>'accountId' = $2 ORDER BY job.id`,
    [task, accountId],
  );
  return rows.map(({ payload }) => payload);
}

it('the service renews each template once, even if the process restarts during the renewal', async () => {
  const accountId = await anAccount(nest);
  const templates = nest.get(TemplatesService);
  for (const id of ['a', 'b', 'c']) await templates.upsert(accountId, id, await aRequest(), null);
  const stopping = new AbortController();
  const renew = templates.renew.bind(templates);
  const spy = jest.spyOn(templates, 'renew').mockImplementation(async (...args) => {
    await renew(...args);
    if (args[1] === 'b') stopping.abort();
  });
  const changes = nest.get(CertificateChangesHandlers);
  await changes.renew({ accountId }, { signal: stopping.signal });
  spy.mockRestore();
  const revisions = () => Promise.all(['a', 'b', 'c'].map(async (id) => (await templates.get(accountId, id)).revision));
  expect(await revisions()).toEqual([2, 2, 1]);

  const left = await jobs<TemplatesLeftToRenew['payload']>(TemplatesLeftToRenew.task, accountId);
  expect(left).toEqual([{ accountId, afterTemplateId: 'b' }]);
  await changes.renewAfter(left[0]!, context);
  expect(await revisions()).toEqual([2, 2, 2]);
});

it('the service combines several changes of one template into one job, but uses separate jobs for different templates', async () => {
  const accountId = await anAccount(nest);
  const templates = nest.get(TemplatesService);
  for (const id of ['a', 'b']) {
    await templates.upsert(accountId, id, await aRequest(), null);
    for (const _ of [1, 2, 3]) await templates.renew(accountId, id);
  }
  expect(await jobs(TemplateChanged.task, accountId)).toEqual([
    { accountId, templateId: 'a' },
    { accountId, templateId: 'b' },
  ]);
});
