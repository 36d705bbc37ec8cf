import { LimitExceeded } from '@passwright/core';
import { type EntityManager, QueryFailedError } from 'typeorm';
import { requireTemplateRoom, toLimitExceeded } from './plan-limits.js';
import type { UsageRepository } from './usage.repository.js';

it('toLimitExceeded names the limit and the end of the period, and rethrows any other error unchanged', () => {
  const failed = (error: object) => new QueryFailedError('INSERT', [], Object.assign(new Error(), error));
  const detail = JSON.stringify({ maxPassCreations: 500, periodEnd: '2026-12-01T00:00:00.000Z' });
  expect(() => toLimitExceeded(failed({ code: 'PW403', detail }))).toThrow(LimitExceeded);
  expect(() => toLimitExceeded(failed({ code: 'PW403', detail }))).toThrow(/500 passes .* after 2026-12-01/);
  for (const other of [new Error('other'), failed({ code: '23505', detail }), failed({ code: 'PW403' })]) {
    expect(() => toLimitExceeded(other)).toThrow(other);
  }
});

it.each([
  [null, 1000, true],
  [3, 2, true],
  [3, 3, false],
])(
  'requireTemplateRoom with a limit of %j and %i templates allows another template: %j',
  async (most, count, isAllowed) => {
    const repository = { maxTemplates: () => Promise.resolve(most) } as unknown as UsageRepository;
    const checked = requireTemplateRoom(repository, {} as EntityManager, 'acc_1', () => Promise.resolve(count));
    if (isAllowed) await expect(checked).resolves.toBeUndefined();
    else await expect(checked).rejects.toThrow(LimitExceeded);
  },
);
