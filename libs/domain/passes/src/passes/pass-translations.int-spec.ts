import { ManagedPassesService } from '../managed/managed-passes.service.js';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassesRepository } from './passes.repository.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  await account.template('generic', { fields: [{ key: 'points', label: 'Points', value: '0' }] });
});

const translations = {
  de: { primaryValue: 'Zwölf', 'fields.points.value': 'keine' },
  'pt-BR': { primaryValue: 'Doze' },
};
const request = { primaryValue: 'Twelve', language: 'de', translations };
const problem = (message: RegExp) =>
  expect.objectContaining({ code: 'validation_failed', message: expect.stringMatching(message) });

describe('the translations of a pass', () => {
  it('a pass returns the holder’s language and the translations as they were sent', async () => {
    const { body } = await account.post('generic/ada', request).expect(200);
    expect(body.pass).toMatchObject({ language: 'de', translations });
    expect((await account.get('generic/ada')).body.pass).toEqual(body.pass);
    const spelt = { ...request, language: 'DE', translations: { ...translations, fr: {} } };
    const again = await account.post('generic/ada', spelt).expect(200);
    expect(again.body.pass).toEqual(body.pass);
  });

  it('a patch merges languages and texts, and null removes a language or text', async () => {
    const first = await account.post('generic/ada', request).expect(200);
    const patch = { 'PT-br': null, de: { primaryValue: null }, sv: { primaryValue: 'Tolv' } };
    const { body, headers } = await account.patch('generic/ada', { translations: patch }).expect(200);
    expect(body.pass.translations).toEqual({ de: { 'fields.points.value': 'keine' }, sv: { primaryValue: 'Tolv' } });
    expect(body.pass.language).toBe('de');
    expect(headers.etag).not.toBe(first.headers.etag);
    expect(body.pass.updatedAt > first.body.pass.updatedAt).toBe(true);
    const same = await account.patch('generic/ada', { translations: { sv: { primaryValue: 'Tolv' }, fr: null } });
    expect(same.headers.etag).toBe(headers.etag);
  });

  it('a pass stores an empty object after all its translations are removed, so that wallets remove them too', async () => {
    await account.post('generic/ada', request).expect(200);
    const { body } = await account.patch('generic/ada', { language: null, translations: null }).expect(200);
    expect(body.pass).not.toHaveProperty('language');
    expect(body.pass).not.toHaveProperty('translations');
    const address = { accountId: account.id, templateId: 'generic', passId: 'ada' };
    const stored = await app.get(PassesRepository).find(address);
    expect(stored!.pass).toMatchObject({ language: null, translations: {} });
    const again = await account.post('generic/ada', { primaryValue: 'Twelve' }).expect(200);
    expect(again.body.pass.updatedAt).toBe(body.pass.updatedAt);
  });

  it('400 for a translation of an unknown text, an invalid language tag and translations that are too long', async () => {
    const rejected = (body: object) => account.post('generic', { ...request, ...body }).expect(400);
    expect((await rejected({ translations: { de: { title: 'X' } } })).body).toEqual(
      problem(/^translations\.de\.title: it matches no text; translate it in the template$/),
    );
    expect((await rejected({ translations: { de: { 'fields.point.label': 'X' } } })).body).toEqual(
      problem(/did you mean "fields\.points\.label"\?$/),
    );
    expect((await rejected({ translations: { de: { primaryValue: null } } })).body).toEqual(
      problem(/^translations\.de\["primaryValue"\] must be a string$/),
    );
    expect((await rejected({ language: 'german' })).body).toEqual(problem(/^language must be the BCP 47 tag/));
    const long = (tag: string) => ({ translations: { [tag]: { 'backFields.terms.value': 'é'.repeat(4000) } } });
    const terms = { backFields: [{ key: 'terms', label: 'Terms', value: 'x' }] };
    await account.post('generic/bob', { primaryValue: 'Bob', ...terms, ...long('de') }).expect(200);
    await account.patch('generic/bob', long('fr')).expect(200);
    expect((await account.patch('generic/bob', long('sv')).expect(400)).body).toEqual(
      problem(/^translations must be at most 20000 bytes when serialised, and would be \d+$/),
    );
  });

  it('409 for a translation of a member’s name on a pass, because the name changes only with the member', async () => {
    const template = await app.get(TemplatesService).get(account.id, 'generic');
    const content = { primaryValue: 'Ada', expiresAt: null, fields: [], voided: false, id: 'member' };
    await app
      .get(Database)
      .transaction((tx) => app.get(ManagedPassesService).issue(tx, template, [content], app.clock.now()));
    await account.patch('generic/member', { translations: { de: { primaryValue: 'Ada' } } }).expect(409);
    const { body } = await account
      .patch('generic/member', { language: 'de', translations: { de: { 'fields.points.value': 'keine' } } })
      .expect(200);
    expect(body.pass).toMatchObject({ primaryValue: 'Ada', language: 'de' });
  });
});
