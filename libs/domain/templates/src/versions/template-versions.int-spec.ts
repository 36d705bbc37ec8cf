import type { TestingModule } from '@nestjs/testing';
import { Clock } from '@passwright/core';
import type { FixedClock } from '@passwright/testing';
import { anAccount, templatesModule } from '../templates.fixtures.js';
import type { TemplateRequest } from '../templates/template.dto.js';
import { TemplatesService } from '../templates/templates.service.js';
import { TemplateVersionsCron } from './template-versions.cron.js';
import { TemplateVersionsRepository } from './template-versions.repository.js';

let nest: TestingModule;
let clock: FixedClock;
let accountId: string;
beforeAll(async () => {
  nest = await templatesModule();
  await nest.init();
  clock = nest.get(Clock);
});
afterAll(() => nest.close());
beforeEach(async () => (accountId = await anAccount(nest)));

const request = { type: 'event', issuerName: 'Hall', foregroundColor: '#fff', backgroundColor: '#123' };
const save = (title: string, changes: object = {}) => {
  const content = { ...request, title, startDate: '2027-06-21T19:00:00Z', ...changes } as unknown as TemplateRequest;
  return nest.get(TemplatesService).upsert(accountId, 't', content, null);
};
const fronts = (...revisions: number[]) =>
  nest.get(TemplateVersionsRepository).find(
    accountId,
    revisions.map((revision) => ({ templateId: 't', revision })),
  );

it('the repository finds the front of each earlier revision of a template, and returns null for the current front', async () => {
  await save('One');
  await save('Two');
  await save('Two', { issuerName: 'Dome' });
  await save('Three');
  const start = new Date('2027-06-21T19:00:00.000Z');
  expect(await fronts(1, 2, 3, 4, 0)).toEqual([
    expect.objectContaining({ title: 'One', startDate: start }),
    expect.objectContaining({ title: 'Two', startDate: start }),
    expect.objectContaining({ title: 'Two' }),
    null,
    expect.objectContaining({ title: 'One' }),
  ]);
});

it('the service stores no earlier front if only colours or the back change, or if the template is archived', async () => {
  await save('One');
  await save('One', { backgroundColor: '#456', backFields: [{ key: 'a', label: 'A', value: 'B' }] });
  await nest.get(TemplatesService).archive(accountId, 't');
  await nest.get(TemplatesService).unarchive(accountId, 't');
  expect(await fronts(1, 2, 3, 4)).toEqual([null, null, null, null]);
});

it('the service keeps the last 20 fronts of a template', async () => {
  for (let title = 1; title <= 25; title++) await save(`Title ${title}`);
  const titles = (await fronts(1, 5, 6, 24)).map((front) => front?.title);
  expect(titles).toEqual(['Title 5', 'Title 5', 'Title 6', 'Title 24']);
});

it('the service deletes an old front after a week, or together with the template', async () => {
  await save('One');
  await save('Two');
  clock.advance(7 * 24 * 3600);
  await nest.get(TemplateVersionsCron).run();
  expect(await fronts(1)).not.toEqual([null]);
  clock.advance(1);
  await save('Three');
  await nest.get(TemplateVersionsCron).run();
  expect(await fronts(1)).toMatchObject([{ title: 'Two' }]);
  await nest.get(TemplatesService).delete(accountId, 't');
  expect(await fronts(1)).toEqual([null]);
});
