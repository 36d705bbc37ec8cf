import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassMailsHandlers } from './pass-mails.handlers.js';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  app.mailer.sent.length = 0;
  await account.template('offer', {
    title: 'Autumn sale',
    issuerName: 'Harbour Hall',
    translations: {
      de: { title: 'Herbstangebot', issuerName: 'Hafenhalle' },
      'de-AT': { title: 'Herbstaktion' },
      sv: { title: 'Höstrea' },
    },
  });
});

/** Sends the pass and returns the mail. */
async function mailTo(language: string | undefined, request: object = {}) {
  await account.post('offer/ada', { language }).expect(200);
  const { body } = await account.post('offer/ada/send', { to: 'ada@example.com', ...request }).expect(202);
  await app
    .get(PassMailsHandlers)
    .deliver({ accountId: account.id, mailId: body.id as string }, { signal: new AbortController().signal });
  const { subject, text = '', html = '' } = app.mailer.sent.at(-1)!;
  expect(html).toContain(text.split('\n')[0]!);
  return { subject, title: text.split('\n')[0], isGerman: html.includes('<html lang="de"') };
}

it.each([
  [undefined, {}, { subject: 'Your pass from Harbour Hall: Autumn sale', title: 'Autumn sale', isGerman: false }],
  ['de', {}, { subject: expect.stringContaining('Herbstangebot'), title: 'Herbstangebot', isGerman: true }],
  ['de-AT', {}, { subject: expect.stringContaining('Herbstaktion'), title: 'Herbstaktion', isGerman: true }],
  ['de', { lang: 'en' }, { subject: expect.stringContaining('Autumn sale'), title: 'Autumn sale', isGerman: false }],
  [
    undefined,
    { lang: 'de' },
    { subject: expect.stringContaining('Herbstangebot'), title: 'Herbstangebot', isGerman: true },
  ],
  // Mails have no Swedish phrases, but the pass has Swedish texts.
  ['sv', {}, { subject: expect.stringContaining('Höstrea'), title: 'Höstrea', isGerman: false }],
])(
  'the mail is in the requested language, or else in the holder’s language (holder: %s, request: %j)',
  async (language, request, mail) => {
    expect(await mailTo(language, request)).toEqual(mail);
  },
);

it.each([
  ['de', undefined, true],
  ['de', 'en', false],
  // Mails have no Swedish phrases, so the installation’s language applies.
  ['sv', undefined, false],
])(
  'the mail for a template in %s and a holder with the language %s is in German: %s',
  async (language, ofHolder, isGerman) => {
    account = await app.account();
    await account.template('offer', { title: 'Angebot', issuerName: 'Hafenhalle', language });
    expect(await mailTo(ofHolder)).toMatchObject({ title: 'Angebot', isGerman });
  },
);

it.each([
  ['de-AT', 'Hafenhalle'],
  ['sv', 'Harbour Hall'],
])('the mail to a holder with the language %s has the sender name %s', async (language, name) => {
  await mailTo(language);
  expect(app.mailer.sent.at(-1)?.fromName).toBe(name);
});

it('the web view uses the holder’s language if the pass has no texts in the browser’s language', async () => {
  await account.post('offer/ada', { language: 'de' }).expect(200);
  const title = async (accepted: string) => {
    const { text } = await app.visit(`/p/${account.id}/offer/ada`).set('Accept-Language', accepted);
    return /<title>(.*?) ·/.exec(text)?.[1];
  };
  expect([await title('ja'), await title('sv'), await title('en')]).toEqual([
    'Herbstangebot',
    'Höstrea',
    'Autumn sale',
  ]);
});
