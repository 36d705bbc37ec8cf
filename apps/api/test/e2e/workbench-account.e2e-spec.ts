import { mkdtempSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import { Account, type RunningService } from '../support/running-service.js';
import { sampleImages, startWithWorkbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();

let service: RunningService;
let account: Account;
let browser: Browser;
let person: WorkbenchPage;
let folder: string;

(chromium ? describe : describe.skip)('users, accounts and holders in the workbench', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'downloads-'));
    service = await startWithWorkbench();
    browser = await openBrowser(chromium ?? '', service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    account = await service.register();
    person = await WorkbenchPage.open(browser);
  });
  afterEach(() => person.close());

  const press = (selector: string) => person.press(selector);
  const fill = (label: string, text: string) => person.fill(label, text);
  const seen = (selector: string) => person.page.waitForSelector(selector, { visible: true });

  const saved = async (button: string): Promise<unknown> => JSON.parse(await person.save(button, folder));

  /** Adds a user who is not an admin to the account. */
  async function colleague(): Promise<Account> {
    const [email, password] = [`${randomUUID()}@example.com`, randomUUID()];
    const { body: invite } = await account.post('/v1/account/invite', { email, isAdmin: false });
    const { status, body } = await service.request('POST', `/v1/account/invites/${invite.code}/accept`, {
      body: { name: 'Grace', password },
    });
    expect(status).toBe(200);
    return new Account(service, email, password, account.id, body.accessToken, body.refreshToken);
  }

  it('a user changes their name and password, and ends another session', async () => {
    await service.request('POST', '/v1/auth/login', {
      body: { email: account.email, password: account.password },
      headers: { 'User-Agent': 'Mozilla/5.0 (iPhone; like Mac OS X) Version/26.0 Mobile Safari/604.1' },
    });
    await person.signIn(account);
    await press(`.foot a::-p-text(${account.email})`);
    await person.heading('Your user');
    await seen('.list tr::-p-text(Safari on iPhone)');
    await person.expectAccessible('you-sessions');
    await press('.list button[aria-label^="End the session of Safari on iPhone"]');
    await person.page.waitForFunction(() => !document.body.textContent.includes('Safari on iPhone'));
    await fill('Name', 'Ada King');
    await press('button::-p-text(Save the name)');
    await seen('.notice.good::-p-text(Saved.)');
    expect((await account.get('/v1/auth/me')).body.name).toBe('Ada King');
    await fill('Current password', 'not the password');
    await fill('New password', 'a cat walked over my keyboard');
    await press('button::-p-text(Change the password)');
    await seen('.wrong::-p-text(currentPassword)');
    await fill('Current password', account.password);
    await press('button::-p-text(Change the password)');
    await seen('.notice.good::-p-text(your other sessions have ended)');
    await person.page.waitForFunction(() => document.querySelectorAll('.list tbody tr').length === 1);
    const { status } = await service.request('POST', '/v1/auth/login', {
      body: { email: account.email, password: 'a cat walked over my keyboard' },
    });
    expect(status).toBe(200);
  }, 120_000);

  it('a user asks to change the e-mail address, and the old address stays valid for now', async () => {
    await person.signIn(account, '#/you');
    await fill('New e-mail', 'countess@example.com');
    await fill('Your password', account.password);
    await press('button::-p-text(Send the confirmation)');
    await seen('.notice.good::-p-text(Open the link in the mail to countess@example.com)');
    expect((await account.get('/v1/auth/me')).body.email).toBe(account.email);
  }, 60_000);

  it('a user creates another account and works in it', async () => {
    await person.signIn(account, '#/you');
    await fill('Name of the account', 'Difference Engines');
    await press('button::-p-text(Create the account)');
    await person.page.waitForFunction(
      () => document.querySelector<HTMLSelectElement>('#account')?.selectedOptions[0]?.text === 'Difference Engines',
    );
    await person.open('#/account');
    expect(await person.page.$eval('main form input', (input) => input.value)).toBe('Difference Engines');
  }, 60_000);

  it('a user creates a test account with one click, and switches back to the live account', async () => {
    await person.signIn(account, '#/account');
    await seen('#test-account');
    expect(await person.page.$('.brand .badge')).toBeNull();
    await press('button::-p-text(Create a test account)');
    await seen('.brand .badge::-p-text(Test)');
    const groups = await person.page.$$eval('#account optgroup', (all) =>
      all.map((each) => [each.label, each.textContent]),
    );
    expect(groups).toEqual([
      ['Live', 'Analytical Engines'],
      ['Test', 'Analytical Engines (test)'],
    ]);
    await seen('.panel::-p-text(Nothing here reaches holders or wallet platforms)');
    expect(await person.page.$('button::-p-text(Create a test account)')).toBeNull();
    await person.expectAccessible('test-account');
    await person.open('#/certificates');
    await seen('.facts::-p-text(a development one, which phones reject)');
    expect(await person.page.$$('main form, main input')).toEqual([]);
    await person.page.select('#account', account.id);
    await person.page.waitForSelector('.brand .badge', { hidden: true });
    await person.page.waitForSelector('main input');
  }, 60_000);

  it('an admin renames and exports the account, plans its deletion and cancels the deletion', async () => {
    await person.signIn(account, '#/account');
    await fill('Name', 'Difference Engines');
    await press('main form button[type=submit]');
    await person.page.waitForFunction(
      () => document.querySelector('.side .account')?.textContent === 'Difference Engines',
    );
    expect(await saved('Export all data')).toMatchObject({ account: { name: 'Difference Engines' } });
    await press('button::-p-text(Delete the account …)');
    await fill('Your password', account.password);
    await press('dialog button[type=submit]');
    await seen('.notice.ended::-p-text(The account will be deleted on)');
    await person.expectAccessible('account-deletion');
    await press('button::-p-text(Cancel the deletion)');
    await seen('button::-p-text(Delete the account …)');
    expect((await account.get('/v1/account')).body.deletion).toBeUndefined();
  }, 120_000);

  it('a user who is not an admin sees the account without forms, and no holders', async () => {
    await person.signIn(await colleague(), '#/account');
    await seen('dl.facts::-p-text(Analytical Engines)');
    expect(await person.page.$$('main form')).toEqual([]);
    await person.open('#/holders');
    await seen('.empty::-p-text(For admins)');
    await person.expectAccessible('holders-user');
  }, 60_000);

  it('an admin opens the members with a temporary key, which is revoked afterwards', async () => {
    await person.signIn(account, '#/members');
    await press('button::-p-text(Open with a key for this visit)');
    await seen('.empty::-p-text(No members here)');
    const keys = async () => (await account.get('/v1/auth/keys')).body.data as { name: string; scopes: string[] }[];
    expect(await keys()).toEqual([
      expect.objectContaining({ name: 'Workbench: members', scopes: ['members:read', 'members:write'] }),
    ]);
    const revoked = person.page.waitForResponse((response) => response.request().method() === 'DELETE');
    await press('nav a::-p-text(Usage)');
    expect((await revoked).status()).toBe(204);
    expect(await keys()).toEqual([]);
  }, 60_000);

  it('an admin exports and erases all data of the holder of a pass', async () => {
    await account.saveTemplate('membership', 'club', sampleImages);
    const { body } = await account.post('/v1/pass/club', { primaryValue: 'Ada Lovelace' });
    await person.signIn(account, `#/passes/club/${body.pass.id}`);
    await press('.heading a::-p-text(Holder’s data)');
    await press('button::-p-text(Show what is stored)');
    await seen('.list a::-p-text(Ada Lovelace)');
    await seen('.list td::-p-text(the holder)');
    await person.expectAccessible('holder');
    expect(await saved('Download the file')).toMatchObject({ passes: [{ primaryValue: 'Ada Lovelace' }] });
    await press('button::-p-text(Erase everything …)');
    await press('dialog button[type=submit]');
    await seen('#erased');
    await person.expectAccessible('holder-erased');
    expect((await account.get(`/v1/pass/club/${body.pass.id}`)).status).toBe(404);
    await press('button::-p-text(By e-mail)');
    await fill('E-mail', 'nobody@example.com');
    await press('button::-p-text(Show what is stored)');
    await seen('.empty::-p-text(Nothing is stored)');
  }, 120_000);
});
