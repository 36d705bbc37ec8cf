import { Database } from '@passwright/database';
import type { ErrorCase } from './device-error-cases.js';
import { type Account, type RunningService, templateBody } from '../support/running-service.js';

/**
 * Creates an account with the template `offer` and the archived template `old`, which has reached its limits of
 * templates and passes.
 */
async function fullAccount(service: RunningService): Promise<Account> {
  const account = await service.register();
  await account.saveTemplate('offer', 'old');
  await account.post('/v1/templates/old/archive');
  await account.saveTemplate('offer');
  await service.app.get(Database).transaction((tx) =>
    tx.query(
      `INSERT INTO billing (account_id, max_templates, max_pass_creations, operator_settings, updated_at)
       VALUES ($1, 1, 0, '{}', now())`,
      [account.id],
    ),
  );
  return account;
}

/** Uploads an image to an account whose image storage is full. */
async function uploadIntoFull(service: RunningService) {
  const account = await service.register();
  await service.app
    .get(Database)
    .transaction((tx) =>
      tx.query('INSERT INTO image_usage (account_id, size_bytes) VALUES ($1, $2)', [account.id, 2 ** 50]),
    );
  const sample = await service.request('GET', '/images/samples/icon.png');
  const form = new FormData();
  form.append('icon', new Blob([Uint8Array.from(sample.bytes)]), 'icon.png');
  return service.request('POST', '/v1/templates/offer/images', { token: account.token, body: form });
}

/** Returns the error cases of limits and usage. */
export function usageErrorCases(service: () => RunningService): ErrorCase[] {
  const full =
    (path: string, body = {}) =>
    async () =>
      (await fullAccount(service())).post(path, body);
  const limit = '403 limit_exceeded';
  return [
    ['upsertTemplate', limit, 'the template limit is reached', full('/v1/templates/new', templateBody('offer'))],
    ['unarchiveTemplate', limit, 'the template limit is reached', full('/v1/templates/old/unarchive')],
    ['uploadTemplateImages', limit, 'image storage is full', () => uploadIntoFull(service())],
    ['createPass', limit, 'the pass limit is reached', full('/v1/pass/offer')],
    ['upsertPass', limit, 'the pass limit is reached', full('/v1/pass/offer/new')],
    [
      'listUsage',
      '400 validation_failed',
      'the cursor is forged',
      async () => (await service().register()).get('/v1/account/usage?cursor=x'),
    ],
    [
      'listUsageDays',
      '400 validation_failed',
      'the cursor is forged',
      async () => (await service().register()).get('/v1/account/usage/days?cursor=x'),
    ],
  ];
}
