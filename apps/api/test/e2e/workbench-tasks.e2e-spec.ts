import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeGoogleWallet } from '@passwright/testing';
import type { Browser, ElementHandle } from 'puppeteer-core';
import sharp from 'sharp';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import { googleEnvironment } from '../support/google-wallet-world.js';
import { Agent } from '../support/mcp-agent.js';
import type { RunningService, Account, TemplateType } from '../support/running-service.js';
import { origin, sampleImages, startWithWorkbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();

let google: FakeGoogleWallet;
let service: RunningService;
let account: Account;
let browser: Browser;
let person: WorkbenchPage;

(chromium ? describe : describe.skip)('the tasks of a back office, done in the workbench', () => {
  beforeAll(async () => {
    google = await FakeGoogleWallet.start({ route: () => service.baseUrl });
    service = await startWithWorkbench(googleEnvironment(google));
    browser = await openBrowser(chromium ?? '', service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await google?.stop();
  });
  beforeEach(async () => {
    account = await service.register();
    person = await WorkbenchPage.open(browser);
  });
  afterEach(() => person.close());

  /** Saves a template with the sample images of this service, and issues passes from it. */
  async function issued(id: string, passes: number, changes: object = {}, type: TemplateType = 'membership') {
    expect((await account.saveTemplate(type, id, { ...sampleImages, ...changes })).status).toBe(200);
    const ids = Array.from({ length: passes }, (_, at) => `p${at}`);
    for (const passId of ids) {
      const content = type === 'membership' ? { primaryValue: `Member ${passId}` } : {};
      expect((await account.post(`/v1/pass/${id}/${passId}`, content)).status).toBe(200);
    }
    return ids;
  }

  it("a person makes a template from another system's pass, and sees its missing parts", async () => {
    await issued('source', 1, {
      title: 'Silver club',
      fields: [{ key: 'tier', label: 'Tier', value: 'Silver' }],
      translations: { de: { 'fields.tier.label': 'Stufe' } },
    });
    const { bytes } = await service.request('GET', `/v1/pass/${account.id}/source/p0/walletA`);
    const file = join(await mkdtemp(join(tmpdir(), 'import-')), 'silver.pkpass');
    writeFileSync(file, bytes);
    await person.signIn(account, '#/templates/+');
    const input = (await person.page.waitForSelector('.import input')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(file);
    await person.heading('Silver club');
    const notes = await person.textOf('.notes');
    expect(notes).toContain('each pass has its own primaryValue');
    expect(notes).toContain('webServiceURL');
    await person.page.waitForSelector('.pictures img');
    await person.expectAccessible('imported');
    await person.fill('Template id', 'imported-club');
    await person.press('button::-p-text(Save …)');
    await person.press('dialog button[type=submit]');
    await person.page.waitForFunction(() => location.hash === '#/templates/imported-club');
    const { body } = await account.get('/v1/templates/imported-club');
    expect(body).toMatchObject({
      type: 'membership',
      title: 'Silver club',
      fields: [{ key: 'tier', label: 'Tier', value: 'Silver' }],
      translations: { de: { 'fields.tier.label': 'Stufe' } },
      icon: expect.stringContaining(`/images/${account.id}/`),
      banner: expect.stringContaining(`/images/${account.id}/`),
    });
  }, 120_000);

  it('a person makes a template from a picture, which becomes the banner and gives the colours', async () => {
    const picture = sharp({ create: { width: 1125, height: 432, channels: 3, background: '#0b5d4b' } });
    const file = join(await mkdtemp(join(tmpdir(), 'picture-')), 'leaf-club.png');
    writeFileSync(file, await picture.png().toBuffer());
    await person.signIn(account, '#/templates/+');
    const input = (await person.page.waitForSelector('.import input')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(file);
    await person.heading('Leaf club');
    await person.page.waitForSelector('.pictures img');
    await person.expectAccessible('picture');
    await person.press('button::-p-text(Save …)');
    const created = person.page.waitForSelector('#announcer::-p-text(Created.)');
    await person.press('dialog button[type=submit]');
    await created;
    await person.page.waitForFunction(() => location.hash === '#/templates/leaf-club');
    await person.page.waitForFunction(() => document.activeElement?.textContent === 'Leaf club');
    expect((await account.get('/v1/templates/leaf-club')).body).toMatchObject({
      ...{ backgroundColor: '#0b5d4b', foregroundColor: '#ffffff' },
      banner: expect.stringContaining(`/images/${account.id}/`),
      issuerName: (await account.get('/v1/account')).body.name,
    });
  }, 120_000);

  it('a person who chooses a file that is not a pass reads why it cannot be imported', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'import-')), 'note.pkpass');
    writeFileSync(file, readFileSync(__filename));
    await person.signIn(account, '#/templates/+');
    const input = (await person.page.waitForSelector('.import input')) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(file);
    expect(await person.textOf('.import [role=alert]')).toContain('neither a pass nor a template');
    await person.expectAccessible('import');
  }, 60_000);

  it('a person corrects a typo of a template, and reads first that every pass will show the correction', async () => {
    await issued('club', 3, { fields: [{ key: 'tier', label: 'Teir', value: 'Gold' }] });
    await person.signIn(account, '#/templates/club');
    await person.page.waitForSelector('.pictures img');
    await person.fill('Label', 'Tier');
    await person.press('button::-p-text(Save …)');
    expect(await person.textOf('dialog')).toContain('These changes apply to every pass of this template');
    expect(await person.textOf('dialog .changes')).toContain('fields.tier.labelTeirTier');
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('dialog', { hidden: true });
    const page = await service.request('GET', `/p/${account.id}/club/p2`, { headers: { Accept: 'text/html' } });
    expect(page.bytes.toString()).toContain('>Tier<');
  }, 60_000);

  it('a person corrects a typo in the texts of passes, and reads first how many passes will change', async () => {
    await issued('club', 3, { fields: [{ key: 'tier', label: 'Tier', value: 'Gold' }] });
    const wrong = { fields: [{ key: 'tier', label: 'Teir', value: 'Silver' }] };
    for (const id of ['p0', 'p2']) expect((await account.patch(`/v1/pass/club/${id}`, wrong)).status).toBe(200);
    await person.signIn(account, '#/passes/club');
    await person.press('button::-p-text(Replace a text)');
    await person.fill('Find', 'Teir');
    await person.fill('Replace with', 'Tier');
    await person.expectAccessible('replace-form');
    await person.press('button::-p-text(Count and replace …)');
    expect(await person.textOf('dialog')).toContain('2 of 3 passes have the text');
    expect(await person.textOf('dialog .changes')).toContain('fields.tier.labelTeirTier');
    await person.expectAccessible('replace');
    await person.press('dialog button[type=submit]');
    expect(await person.textOf('.notice.good')).toContain('Changed 2 passes.');
    const { body } = await account.get('/v1/pass/club');
    const labels = (body.data as { fields: { label: string }[] }[]).flatMap(({ fields }) =>
      fields.map(({ label }) => label),
    );
    expect(labels).toEqual(['Tier', 'Tier']);
    await person.press('button::-p-text(Count and replace …)');
    await person.page.waitForSelector('::-p-text(None of 3 passes has this text to replace.)');
  }, 60_000);

  it('a person replaces a text, and retries it for the pass that failed', async () => {
    await issued('club', 3, { fields: [{ key: 'tier', label: 'Tier', value: 'None' }] });
    const gold = { fields: [{ key: 'tier', label: 'Tier', value: 'Gold' }] };
    for (const id of ['p0', 'p1', 'p2']) expect((await account.patch(`/v1/pass/club/${id}`, gold)).status).toBe(200);
    await person.signIn(account, '#/passes/club');
    const patched: string[] = [];
    await person.page.setRequestInterception(true);
    person.page.on('request', (request) => {
      const [pass = ''] = /p\d$/.exec(request.url()) ?? [];
      if (request.method() !== 'PATCH') return void request.continue();
      const body = JSON.stringify({ statusCode: 403, code: 'forbidden', message: 'Not now.' });
      const fails = pass === 'p1' && !patched.includes('p1');
      patched.push(pass);
      return void (fails
        ? request.respond({ status: 403, contentType: 'application/json', body })
        : request.continue());
    });
    await person.press('button::-p-text(Replace a text)');
    await person.fill('Find', 'Gold');
    await person.fill('Replace with', 'Gold Plus');
    await person.press('button::-p-text(Count and replace …)');
    await person.press('dialog button[type=submit]');
    expect(await person.textOf('.notice.waiting')).toContain('Changed 2 passes.');
    await person.expectAccessible('replace-failed');
    await person.press('button::-p-text(Try these again)');
    expect(await person.textOf('.notice.good')).toContain('Changed 3 passes.');
    expect(patched.sort()).toEqual(['p0', 'p1', 'p1', 'p2']);
    const { body } = await account.get('/v1/pass/club');
    const values = (body.data as { fields: { value: string }[] }[]).flatMap(({ fields }) => fields);
    expect(values.map(({ value }) => value)).toEqual(['Gold Plus', 'Gold Plus', 'Gold Plus']);
    await person.press('button::-p-text(Count and replace …)');
    await person.page.waitForSelector('::-p-text(None of 3 passes has this text to replace.)');
  }, 60_000);

  it('a person messages many holders, and cancels a planned message', async () => {
    await issued('club', 3, {}, 'offer');
    await account.post('/v1/pass/club/p0/void');
    // Only a pass whose save link was opened is at Google, and so has an outcome there.
    expect((await service.request('GET', `/v1/pass/${account.id}/club/p1/walletB`)).status).toBe(200);
    await person.signIn(account, '#/messages/+/club');
    await person.fill('Message', 'The bar is open.');
    await person.fill('Add a language', 'de');
    await person.press('.search button');
    await person.fill('Message in Deutsch', 'Die Bar ist offen.');
    await person.expectAccessible('message-form');
    await person.press('button::-p-text(Count and send …)');
    const forecast = await person.textOf('dialog');
    expect(forecast).toContain('Would reach2 of 3');
    expect(forecast).toContain('1 pass is left out: void');
    await person.expectAccessible('message-forecast');
    google.next({ status: 503, times: Infinity });
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('.heading .badge::-p-text(sent)', { timeout: 30_000 });
    await person.page.waitForFunction(() => document.querySelectorAll('.list tbody tr').length === 2);
    expect(await person.textOf('.facts')).toContain('DeutschDie Bar ist offen.');
    expect(await person.textOf('[aria-label="Outcomes at Google Wallet"]')).toContain(
      '1 at Google Wallet: not sent to',
    );
    expect(await person.textOf('.list tbody')).toContain('not sent to Google yet');
    // The page shows Google's outcomes after the message has ended. The service repeats the write only after a pause as
    // long as Google's failure.
    google.reset();
    for (const place of ['.list tbody', '[aria-label="Outcomes at Google Wallet"]'])
      await person.page.waitForSelector(`${place} ::-p-text(announced on the phone)`, { timeout: 120_000 });
    await person.expectAccessible('message');
    await account.post('/v1/templates/club/messages', { text: 'Later.', sendAt: new Date(Date.now() + 3_600_000) });
    await person.open('#/messages');
    await person.press('a::-p-text(Later.)');
    await person.press('.heading button::-p-text(Pause)');
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('.heading .badge::-p-text(paused)');
    await person.press('.heading button::-p-text(Cancel the message)');
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('.heading .badge::-p-text(cancelled)');
  }, 240_000);

  it('a person sends a message to one holder, and sets quiet hours', async () => {
    await issued('club', 1);
    await person.signIn(account, '#/passes/club/p0');
    await person.press('.choice button::-p-text(Messages)');
    await person.fill('Message', 'Your table is ready.');
    await person.press('button::-p-text(Send the message)');
    await person.page.waitForSelector('.timeline ::-p-text(Your table is ready.)');
    await person.expectAccessible('pass-messages');
    await person.open('#/messages');
    await person.press('button::-p-text(Quiet hours)');
    await (await person.page.waitForSelector('::-p-aria(Send no messages at night)'))?.focus();
    await person.page.keyboard.press('Space');
    const zone = await person.page.waitForSelector('::-p-aria(Time zone)');
    await zone?.select('Europe/Oslo');
    await person.expectAccessible('quiet-hours');
    await person.press('button::-p-text(Save the quiet hours)');
    await person.page.waitForSelector('form[aria-label="Quiet hours"]', { hidden: true });
    expect((await account.get('/v1/account/messages')).body).toEqual({
      timeZone: 'Europe/Oslo',
      quietHours: { from: '22:00', until: '08:00' },
    });
  }, 90_000);

  it('a person adds artwork, a button and a translation in the form, and sees the preview of an older iPhone', async () => {
    await issued('club', 1, { artwork: `${origin}/images/samples/artwork.png` });
    await person.signIn(account, '#/templates/club');
    await person.press('button::-p-text(Add a button)');
    await person.fill('Address', 'https://example.com/shop');
    await person.fill('Add a language', 'de');
    await person.press('.search button');
    await person.fill('title', 'Verein');
    await person.fill('actions.0.url', 'https://example.com/laden');
    await person.fill('images.banner', `${origin}/images/samples/artwork.png`);
    await person.page.waitForSelector('.pictures img');
    await person.expectAccessible('form');
    await person.press('button::-p-text(Save …)');
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('dialog', { hidden: true });
    expect((await account.get('/v1/templates/club')).body).toMatchObject({
      actions: [{ type: 'shop', url: 'https://example.com/shop' }],
      translations: {
        de: {
          title: 'Verein',
          'actions.0.url': 'https://example.com/laden',
          'images.banner': `${origin}/images/samples/artwork.png`,
        },
      },
    });
    await person.open('#/passes/club/p0');
    await person.page.waitForSelector('.pictures img');
    const before = await person.page.$eval('.pictures img', (image) => image.getAttribute('height'));
    await person.press('button::-p-text(iOS 26 and earlier)');
    await person.page.waitForFunction(
      (height) => document.querySelector('.pictures img')?.getAttribute('height') !== height,
      {},
      before,
    );
    await person.expectAccessible('generations');
  }, 90_000);

  it('a person issues a pass with a language, a group and a linked pass, and then changes the group', async () => {
    await issued('club', 1);
    await person.signIn(account, '#/passes/club');
    await person.press('button::-p-text(Issue)');
    await person.fill('Member', 'Grace Hopper');
    await person.fill('Id', 'grace');
    await person.fill('Language of the holder', 'de');
    await person.fill('Group', 'order-1');
    await person.fill('Place in the group', '1');
    await person.fill('Linked passes', 'club/p0');
    await person.page.waitForSelector('.pictures img');
    await person.expectAccessible('issue-relations');
    await person.press('button::-p-text(Issue the pass)');
    await person.page.waitForFunction(() => location.hash === '#/passes/club/grace');
    const pass = async () => (await account.get('/v1/pass/club/grace')).body.pass as object;
    expect(await pass()).toMatchObject({
      ...{ language: 'de', group: { id: 'order-1', order: 1 } },
      linkedPasses: [{ templateId: 'club', passId: 'p0' }],
    });
    await person.fill('Group', 'order 1');
    await person.press('button::-p-text(Save the changes)');
    expect(await person.textOf('.wrong')).toContain('group.id');
    await person.fill('Group', 'order-2');
    await person.fill('Place in the group', ' ');
    await person.page.keyboard.press('Backspace');
    await person.press('button::-p-text(Save the changes)');
    await person.page.waitForSelector('.notice.good');
    expect(await pass()).toMatchObject({ group: { id: 'order-2' } });
    await person.expectAccessible('pass-relations');
  }, 90_000);

  it('a person finds out why a phone is stale, and revokes a key', async () => {
    await issued('club', 1);
    const key = await account.apiKey('passes:read');
    await person.signIn(account, '#/passes/club');
    await person.fill('Find a pass', 'p0');
    await person.page.keyboard.press('Enter');
    await person.heading('Member p0');
    await person.press('.choice button::-p-text(Delivery)');
    expect(await person.textOf('section[aria-label=Delivery]')).toContain('No device has added the pass');
    await person.open('#/keys');
    await person.press('button::-p-text(Revoke)');
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('.empty::-p-text(No keys yet)');
    await person.page.waitForFunction(() => document.activeElement?.textContent === 'API keys');
    expect((await service.request('GET', '/v1/pass/club', { token: key })).status).toBe(401);
  }, 60_000);

  it('a person sees the state of a template at Google, and removes the issuer of the account', async () => {
    const [passId] = await issued('club', 1, {}, 'offer');
    const { issuerId, keyFile } = google.serviceAccount(`3388${randomInt(1e12, 1e13)}`);
    const { status } = await service.request('PUT', '/v1/account/walletB', {
      token: account.token,
      body: { issuerId, serviceAccount: keyFile },
    });
    expect(status).toBe(200);
    const link = await service.request('GET', `/v1/pass/${account.id}/club/${passId}/walletB`);
    expect(link.status).toBe(200);
    await person.signIn(account, '#/passes/club');
    await person.press('button::-p-text(Google Wallet)');
    await person.page.waitForFunction(() => document.querySelector('.numbers dd')?.textContent === '1');
    await person.expectAccessible('google-progress');
    await person.open('#/certificates');
    await person.press('button::-p-text(Remove the issuer)');
    await person.expectAccessible('remove-issuer');
    await person.press('dialog button[type=submit]');
    await person.page.waitForFunction(() => !document.body.textContent.includes('Remove the issuer'));
    expect((await account.get('/v1/account/walletB')).body.source).toBe('operator');
  }, 60_000);

  it("a person makes a supervised key for an agent, sees the changes in the agent's plan, and confirms the plan", async () => {
    await issued('club', 1);
    await person.signIn(account, '#/keys');
    await person.press('button::-p-text(New key)');
    await person.fill('Name', 'Support agent');
    await person.press('button::-p-text(An AI agent)');
    await person.expectAccessible('agent-key');
    await person.press('button::-p-text(Create the key)');
    const agent = await Agent.connect(service, await person.textOf('.secret code'));
    expect(await person.textOf('.list')).toContain('Supervised key');
    const fields = Array.from({ length: 4 }, (_, at) => ({ key: `f${at}`, label: 'Tier', value: `Gold ${at}` }));
    const backFields = Array.from({ length: 50 }, (_, at) => ({ key: `b${at}`, label: 'L', value: `Term ${at}` }));
    const call = { templateId: 'club', passId: 'p0', body: { primaryValue: 'Grace Hopper', fields, backFields } };
    const { planToken } = await agent.result('updatePass', call);

    await person.open('#/plans');
    await person.heading('Agent plans');
    await person.expectAccessible('plans-waiting');
    await person.press('button::-p-text(Review)');
    expect(await person.textOf('dialog .changes')).toContain('primaryValueMember p0Grace Hopper');
    expect(await person.textOf('dialog .more')).toContain('50 of 55 changes.');
    await person.expectAccessible('plan');
    await person.press('dialog .more button');
    expect(await person.textOf('dialog .changes')).toContain('Term 49');
    await person.press('dialog button[type=submit]');
    await person.page.waitForSelector('dialog', { hidden: true });
    await agent.result('updatePass', { ...call, planToken });
    expect((await account.get('/v1/pass/club/p0')).body.pass).toMatchObject({ primaryValue: 'Grace Hopper' });
  }, 120_000);
});
