import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { GoogleWorld } from '../google-world.fixtures.js';
import { TestApp } from '../test-app.fixtures.js';
import { ChangedResourcesRepository } from './changed-resources.repository.js';
import { doubtOnCitus } from './doubted-resources.js';
import type { ResourceKey } from './google-resource.js';

let app: TestApp;
let changed: ChangedResourcesRepository;
beforeAll(async () => {
  app = await TestApp.start();
  const world = new GoogleWorld(app);
  changed = app.get(ChangedResourcesRepository);
  for (const name of ['ada', 'joan']) {
    const account = await app.account();
    await account.template('offer');
    await account.post(`offer/${name}`, {}).expect(200);
    await world.link(account, `offer/${name}`).expect(200);
  }
  await app.get(Database).reads.query(
    `UPDATE google_resource SET sent_hash = '\\x01', due_at = NULL, messages = '[{"id": "a"}, {"id": "b", "addedAt": "2026-01-01"}]'
     WHERE serial_number IS NOT NULL`,
  );
});
afterAll(() => app.stop());

type Doubt = (tx: EntityManager, after: ResourceKey, limit: number, now: Date) => Promise<ResourceKey[]>;

/**
 * Marks all resources as changed, in batches of three, and rolls the marking back.
 * @returns the batches, and the rows before the roll-back
 */
async function doubted(doubt: Doubt) {
  const runner = app.get(Database).reads.connection.createQueryRunner();
  await runner.startTransaction();
  try {
    const pages: ResourceKey[][] = [];
    let after: ResourceKey = { accountId: '', issuerId: '', id: '' };
    for (let page = await doubt(runner.manager, after, 3, app.clock.now()); page.length > 0;) {
      pages.push(page);
      after = page.at(-1) ?? after;
      page = await doubt(runner.manager, after, 3, app.clock.now());
    }
    const rows: unknown = await runner.query('SELECT * FROM google_resource ORDER BY account_id, issuer_id, id');
    return { pages, rows };
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

it('doubtOnCitus marks the same batches of resources as the statement for other databases', async () => {
  const together = await doubted((...page) => changed.doubtAll(...page));
  const apart = await doubted((...page) => doubtOnCitus({ isDistributed: true }, ...page));
  expect(apart).toEqual(together);
  expect(together.pages.map(({ length }) => length)).toEqual([3, 1]);
  const messages = [
    { id: 'a', unclear: true },
    { id: 'b', addedAt: '2026-01-01' },
  ];
  expect(together.rows).toEqual(expect.arrayContaining([expect.objectContaining({ messages, changes: 1 })]));
});
