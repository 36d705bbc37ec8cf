import type { TestingModule } from '@nestjs/testing';
import { AccountData } from '@passwright/accounts';
import { Database } from '@passwright/database';
import { anAccount, templatesModule } from '../templates.fixtures.js';
import { Template } from './template.entity.js';

let nest: TestingModule;
beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
});
afterAll(() => nest.close());

async function emptyAccount(accountId: string): Promise<void> {
  for (const step of nest.get(AccountData).parts.flatMap(({ steps }) => steps))
    if ('run' in step) await step.run(accountId, () => undefined);
}
const aTemplate: Omit<Template, 'id' | 'title' | 'accountId' | 'createdAt' | 'updatedAt'> = {
  type: 'offer',
  issuerName: 'Secret issuer',
  foregroundColor: '#fff',
  backgroundColor: '#123',
  labelColor: null,
  images: {},
  localisedImages: { de: { logo: { url: 'https://a.example/Secret.png', source: '', recipe: 0, files: [] } } },
  sharingProhibited: false,
  codeFormat: 'qr',
  locations: [],
  fields: [],
  backFields: [],
  startDate: null,
  startDay: null,
  endDate: null,
  doorsOpen: null,
  location: null,
  primaryLabel: 'Secret label',
  language: null,
  translations: { de: { primaryLabel: 'Secret label' } },
  actions: [{ type: 'call', url: 'tel:+4722334455' }],
  archivedAt: null,
  revision: 1,
};
const templates = (accountId: string) => nest.get(Database).reads.findBy(Template, { accountId });

it('the service clears every template of a deleted account once, whatever the title of the template', async () => {
  const accountId = await anAccount(nest);
  const at = new Date('2026-11-20T10:00:00.000Z');
  const insert = (id: string, title: string) =>
    nest.get(Database).reads.insert(Template, { ...aTemplate, id, title, accountId, createdAt: at, updatedAt: at });
  await insert('named', 'Secret club');
  await insert('dash', '-');

  await emptyAccount(accountId);
  const emptied = await templates(accountId);
  expect(JSON.stringify(emptied)).not.toContain('Secret');
  expect(emptied.map(({ archivedAt }) => archivedAt)).not.toContain(null);
  await emptyAccount(accountId);
  expect(await templates(accountId)).toEqual(emptied);
});

it('the service archives a template of a deleted account that is saved while others are archived', async () => {
  const accountId = await anAccount(nest);
  const database = nest.get(Database);
  const at = new Date('2026-11-20T10:00:00.000Z');
  const insert = (id: string) =>
    database.reads.insert(Template, { ...aTemplate, id, title: id, accountId, createdAt: at, updatedAt: at });
  await insert('offer');
  const transaction = database.transaction.bind(database);
  jest.spyOn(database, 'transaction').mockImplementationOnce(async (work) => {
    const result = await transaction(work);
    await insert('event');
    return result;
  });

  const [archive] = nest.get(AccountData).parts.flatMap(({ steps }) => steps.filter((step) => 'run' in step));
  await archive?.run(accountId, () => undefined);
  expect((await templates(accountId)).map(({ archivedAt }) => archivedAt)).toEqual([
    expect.any(Date),
    expect.any(Date),
  ]);
});
