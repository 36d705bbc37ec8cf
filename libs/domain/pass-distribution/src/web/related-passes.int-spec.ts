import { Database } from '@passwright/database';
import { WalletPassesRepository } from '@passwright/passes';
import { PassMailsHandlers } from '../mails/pass-mails.handlers.js';
import { TestAccount, TestApp } from '../test-app.fixtures.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  await account.template('offer', { title: 'Parking', translations: { de: { title: 'Parkplatz' } } });
  await account.template('event', { title: 'Concert' });
  await account.template('membership', { title: 'Club' });
  const group = (order: number) => ({ group: { id: 'order-1', order } });
  await account.post('event/two', { ...group(2), expiry: '2026-11-20T11:00:00.000Z' }).expect(200);
  await account.post('offer/car', {}).expect(200);
  const linkedPasses = [{ templateId: 'offer', passId: 'car' }];
  await account.post('event/one', { ...group(1), linkedPasses }).expect(200);
  await account.post('membership/three', { primaryValue: 'Ada & Co', ...group(3) }).expect(200);
});
afterEach(() => jest.restoreAllMocks());

const path = (name: string) => `/p/${account.id}/${name.replace(':', '/')}`;
const bundle = (...names: string[]) =>
  `http://passes.example/p/${account.id}/bundle?${names.map((name) => `pass=${encodeURIComponent(name)}`).join('&')}`;
const page = async (name: string, headers: Record<string, string> = {}) =>
  (await app.visit(path(name)).set(headers).expect(200)).text;
/** Returns the links in the list of other passes. */
const others = (html: string) => {
  const list = /<nav id="related"[^]*?<\/nav>/.exec(html)?.[0] ?? '';
  return [...list.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));
};
const mailed = async (name: string) => {
  const { body } = await account.post(`${name}/send`, { to: 'ada@example.com' }).expect(202);
  const signal = new AbortController().signal;
  await app.get(PassMailsHandlers).deliver({ accountId: account.id, mailId: body.id as string }, { signal });
  return app.mailer.sent.at(-1)!;
};
/** Prohibits sharing a template's passes, and increments the revision like a request. */
const prohibitSharing = (templateId: string) =>
  app
    .get(Database)
    .reads.query(
      'UPDATE template SET sharing_prohibited = true, revision = revision + 1 WHERE account_id = $1 AND id = $2',
      [account.id, templateId],
    );
const web = (name: string) => `http://passes.example${path(name)}`;

it('the web view lists the other passes of the group and then the linked passes, and links to a page with all of them', async () => {
  expect(others(await page('event:one'))).toEqual([
    bundle('event:one', 'event:two', 'membership:three', 'offer:car'),
    web('event:two'),
    web('membership:three'),
    web('offer:car'),
  ]);
  expect(others(await page('membership:three'))).toEqual([
    bundle('event:one', 'event:two', 'membership:three'),
    web('event:one'),
    web('event:two'),
  ]);
});

it('the web view does not show a new pass that has the ids of a deleted linked pass', async () => {
  await account.delete('offer/car').expect(204);
  await account.post('offer/car', {}).expect(200);
  expect(others(await page('event:one'))).not.toContain(web('offer:car'));
});

it('the web view of a linked pass does not show the pass that links to it', async () => {
  expect(await page('offer:car')).not.toContain('id="related"');
});

it('the web view shows other passes in the reader’s language, with their holder and their state', async () => {
  const html = await page('event:one', { 'Accept-Language': 'de' });
  for (const text of ['Parkplatz', 'Ada &amp; Co', 'Ihre Pässe']) expect(html).toContain(text);
  const { headers } = await app.visit(path('event:one'));
  expect(headers['content-security-policy']).toContain('http://passes.example');
  app.clock.advance(3600);
  expect(/<nav id="related"[^]*?<\/nav>/.exec(await page('event:one'))?.[0]).toContain('This pass expired');
});

it('the web view and the mail hide the holder and the address of a pass whose sharing is prohibited', async () => {
  await prohibitSharing('membership');
  const html = await page('event:one');
  expect(others(html)).toEqual([bundle('event:one', 'event:two', 'offer:car'), web('event:two'), web('offer:car')]);
  expect(html).toContain('Club');
  for (const hidden of ['Ada &amp; Co', web('membership:three')]) expect(html).not.toContain(hidden);
  expect((await mailed('event/one')).text).toContain(bundle('event:one', 'event:two', 'offer:car'));
  await prohibitSharing('offer');
  await prohibitSharing('event');
  expect(others(await page('event:one'))).toEqual([]);
  expect(await page('event:one')).toContain('id="related"');
  expect(await page('membership:three')).not.toContain(web('event:one'));
});

it('304 for a conditional request, and 200 after a change of a related pass', async () => {
  const changes = [
    () => account.patch('event/two', { fields: [{ key: 'seat', label: 'Seat', value: '14' }] }).expect(200),
    () => account.patch('offer/car', { code: 'NEW' }).expect(200),
    () => account.post('membership/three/void').expect(200),
    () => Promise.resolve(app.clock.advance(3600)),
    () => account.archive('offer'),
    () => account.post('event/four', { group: { id: 'order-1', order: 4 } }).expect(200),
    () => account.delete('membership/three').expect(204),
    () => account.patch('event/one', { group: null, linkedPasses: null }).expect(200),
  ];
  for (const change of changes) {
    const etag = (await app.visit(path('event:one'))).headers.etag as string;
    await app.visit(path('event:one')).set('If-None-Match', etag).expect(304);
    await change();
    app.clock.advance(2);
    await app.visit(path('event:one')).set('If-None-Match', etag).expect(200);
  }
  expect(await page('event:one')).not.toContain('id="related"');
});

it('the web view does not show more passes than a bundle can contain', async () => {
  for (let n = 0; n < 12; n++) await account.post(`offer/p${n}`, { group: { id: 'many', order: n } }).expect(200);
  const [all, ...rest] = others(await page('offer:p11'));
  expect(rest).toEqual(Array.from({ length: 9 }, (_, n) => web(`offer:p${n}`)));
  await app.visit(all!.replace('http://passes.example', '')).expect(200);
});

it('the page of a bundle shows the passes of a group next to each other, in the group’s order', async () => {
  const names = ['membership:three', 'offer:car', 'event:one', 'event:two'];
  const { text } = await app.visit(bundle(...names).replace('http://passes.example', '')).expect(200);
  const shown = [...text.matchAll(/href="[^"]*\/p\/[^/"]*\/(\w+)\/(\w+)"/g)].map(
    ([, template, pass]) => `${template}:${pass}`,
  );
  expect(shown).toEqual(['event:one', 'event:two', 'membership:three', 'offer:car']);
});

it('the mail links to the page with all related passes, but only if the pass has related passes', async () => {
  const { text, html } = await mailed('event/one');
  const address = bundle('event:one', 'event:two', 'membership:three', 'offer:car');
  expect(text).toContain(`Your passes: ${address}`);
  expect(html).toContain(`href="${address.replaceAll('&', '&amp;')}"`);
  expect((await mailed('offer/car')).text).not.toContain('bundle');
});

it('the web view of a pass without a group or links reads no other passes', async () => {
  const passes = app.get(WalletPassesRepository);
  const versions = jest.spyOn(passes, 'findRelatedVersions');
  const related = jest.spyOn(passes, 'findRelated');
  await page('offer:car');
  expect(await versions.mock.results[0]!.value).toEqual([]);
  expect(related).not.toHaveBeenCalled();
});

it('a conditional request reads only the versions of other passes, and not their content', async () => {
  const { etag } = (await app.visit(path('event:one'))).headers;
  const passes = app.get(WalletPassesRepository);
  const related = jest.spyOn(passes, 'findRelated');
  const versions = jest.spyOn(passes, 'findRelatedVersions');
  const rows = jest.spyOn(app.get(Database), 'lookUp');
  await app
    .visit(path('event:one'))
    .set('If-None-Match', etag as string)
    .expect(304);
  expect(related).not.toHaveBeenCalled();
  expect(await versions.mock.results[0]!.value).toHaveLength(3);
  const read = rows.mock.calls.findIndex(([name]) => name === 'related-versions');
  const [row] = (await rows.mock.results[read]!.value) as object[];
  expect(Object.keys(row!).filter((column) => !/^(?:account_id|template_id|id|serial_number)$/.test(column))).toEqual([
    ...['updated_at', 'valid_from', 'expires_at', 'voided_at', 'redeemed_at'],
    ...['revision', 'archived_at', 'template_created_at'],
  ]);
  await page('event:one');
  expect(related).toHaveBeenCalledTimes(1);
});
