import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'puppeteer-core';
import { axeViolations, loadAxe } from '../support/axe.js';
import { chromiumPath, openBrowser, watchedPage, type WatchedPage } from '../support/chromium.js';
import { Mailbox } from '../support/mailbox.js';
import { RunningService, type Account } from '../support/running-service.js';

const origin = 'http://passes.localhost';
const chromium = chromiumPath();
if (!chromium) process.stderr.write('Chromium is not installed: pages are not shown to it here (set CHROMIUM_PATH)\n');
const newPassword = 'a cat walked over my keyboard';
const anEmail = () => `${randomUUID()}@example.com`;

let mailbox: Mailbox;
let service: RunningService;
let account: Account;

beforeAll(async () => {
  mailbox = await Mailbox.open();
  service = await RunningService.start({
    BASE_URL: origin,
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Passwright <passes@example.org>',
  });
});
afterAll(async () => {
  await service.stop();
  await mailbox.close();
});
beforeEach(async () => {
  account = await service.register();
});

const login = async (email: string, password: string) =>
  (await service.request('POST', '/v1/auth/login', { body: { email, password } })).status;
const send = (path: string, form: Record<string, string>) =>
  service.request('POST', path, {
    body: new URLSearchParams(form).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

/** Returns the link from the mail about a forgotten password. */
async function resetLink({ email }: Account): Promise<string> {
  const { status, bytes } = await service.request('POST', '/v1/auth/password/forgot', { body: { email } });
  expect([status, bytes.length]).toEqual([202, 0]);
  return (await mailbox.mailTo(email, /^Choose a new password$/)).links[0] ?? 'none';
}

async function confirmLink(email: string): Promise<string> {
  const { status } = await account.post('/v1/auth/email', { email, password: account.password });
  expect(status).toBe(202);
  return (await mailbox.mailTo(email, /^Confirm/)).links[0] ?? 'none';
}

const inviteLink = async (email: string) => {
  expect((await account.post('/v1/account/invite', { email })).status).toBe(201);
  return (await mailbox.mailTo(email, /Analytical Engines/)).links[0] ?? 'none';
};

const codeIn = (link: string) => new URL(link).searchParams.get('code') ?? '';

describe('pages linked from mails', () => {
  it('a mail scanner that opens the links of mails does not use up their codes', async () => {
    for (const link of [await resetLink(account), await confirmLink(anEmail()), await inviteLink(anEmail())]) {
      const seen = [];
      for (const method of ['GET', 'HEAD', 'GET']) seen.push((await service.request(method, link)).status);
      expect(seen).toEqual([200, 200, 200]);
    }
  });

  it('the pages linked from mails are not cached, run no scripts, and send no referrer', async () => {
    for (const link of [await resetLink(account), await confirmLink(anEmail()), await inviteLink(anEmail())]) {
      const { headers } = await service.request('GET', link);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-\S+'; img-src data:/,
      );
      expect(headers.get('content-security-policy')).toContain("form-action 'self'; frame-ancestors 'none'");
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
  });

  it('410 for a used link, and for an invalid code', async () => {
    const [reset, confirm] = [await resetLink(account), await confirmLink(anEmail())];
    expect((await send('/email/confirm', { code: codeIn(confirm) })).status).toBe(200);
    // The change of the e-mail address has invalidated the codes that were sent to the old one.
    const again = [reset, confirm, '/password/reset', '/email/confirm?code=x', '/password/reset?code=a&code=b'];
    for (const path of again) expect([path, (await service.request('GET', path)).status]).toEqual([path, 410]);
    expect((await send('/email/confirm', { code: codeIn(confirm) })).status).toBe(410);
    expect((await send('/password/reset', { code: codeIn(reset), password: newPassword })).status).toBe(410);
    expect((await service.request('GET', `/invites/${'A'.repeat(44)}`)).status).toBe(404);
  });

  it('400 for a new password that is too short; the page shows the form again', async () => {
    const code = codeIn(await resetLink(account));
    const rejected = await send('/password/reset', { code, password: 'short' });
    expect([rejected.status, rejected.bytes.toString()]).toEqual([
      400,
      expect.stringContaining('at least 8 characters'),
    ]);
    expect(rejected.bytes.toString()).not.toContain('value="short"');
    expect((await send('/password/reset', { code, password: newPassword })).status).toBe(200);
    expect(await login(account.email, newPassword)).toBe(200);
  });

  it('the page for a forgotten password does not reveal who is a user', async () => {
    const texts = [];
    for (const email of [account.email, anEmail()]) {
      const { status, bytes } = await send('/password/forgot', { email });
      texts.push([status, bytes.toString().replace(email, '…')]);
    }
    expect(texts[0]).toEqual(texts[1]);
    await mailbox.mailTo(account.email, /^Choose a new password$/);
    expect((await send('/password/forgot', { email: 'nobody' })).status).toBe(400);
    expect(texts[0]?.[1]).toMatch(/<a href="[^"]+\/workbench">Back to the sign-in<\/a>/);
  });

  it('an invitation page admits an existing user only with the password of that user', async () => {
    const guest = await service.register();
    const { pathname } = new URL(await inviteLink(guest.email));
    const wrong = await send(pathname, { password: 'not the right one' });
    expect([wrong.status, wrong.bytes.toString()]).toEqual([400, expect.stringContaining('not the password')]);
    expect((await send(pathname, { password: guest.password })).status).toBe(200);
    expect((await guest.post('/v1/auth/switch', { accountId: account.id })).status).toBe(200);
    expect((await send(pathname, { password: guest.password })).status).toBe(410);
    // Check that the page has created no session.
    const { data } = (await guest.get('/v1/auth/sessions')).body;
    expect(data.map(({ accountId }: { accountId: string }) => accountId).sort()).toEqual([guest.id, account.id].sort());
  });
});

(chromium ? describe : describe.skip)('in a browser', () => {
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '', service);
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    watched = await watchedPage(browser);
    page = watched.page;
  });
  afterEach(async () => {
    await page.close();
    expect([...watched.origins]).toEqual([origin]);
  });

  const heading = () => page.$eval('h1', (element) => element.textContent);
  const press = () => Promise.all([page.waitForNavigation(), page.click('main button[type=submit]')]);

  /** Checks that the page suits people who need large text, a dark screen or a screen reader. */
  async function expectAccessible(): Promise<void> {
    await loadAxe(page);
    for (const [width, height] of [
      [320, 568],
      [1280, 800],
    ] as const) {
      await page.setViewport({ width, height });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        const violations = await axeViolations(page);
        expect(violations.map(({ id, nodes }) => [id, value, width, ...nodes.map(({ html }) => html)])).toEqual([]);
      }
    }
  }

  it('a user who forgot the password sets a new one through the mailed link, even without scripts, and signs in', async () => {
    await page.setJavaScriptEnabled(false);
    await page.goto(await resetLink(account));
    expect(await page.$eval('#username', (input) => (input as HTMLInputElement).value)).toBe(account.email);
    await page.type('#password', newPassword);
    await press();
    expect([await heading(), page.url()]).toEqual(['Your password is set', `${origin}/password/reset`]);
    expect([await login(account.email, account.password), await login(account.email, newPassword)]).toEqual([401, 200]);
    await mailbox.mailTo(account.email, /^Your password was changed$/);
    expect(watched.said).toEqual([]);
  });

  it('a user who changes the e-mail address confirms the new one by mail, and signs in with it', async () => {
    const email = anEmail();
    await page.goto(await confirmLink(email));
    expect(await login(email, account.password)).toBe(401);
    await expectAccessible();
    await press();
    expect(await heading()).toBe('Your e-mail address is changed');
    await expectAccessible();
    expect([await login(email, account.password), await login(account.email, account.password)]).toEqual([200, 401]);
    await mailbox.mailTo(account.email, /^Your e-mail address was changed$/);
    await page.goto(`${origin}/email/confirm`);
    await expectAccessible();
  });

  it('an invited person joins with a name and a password, and sees errors beside the fields', async () => {
    const email = anEmail();
    await page.goto(await inviteLink(email));
    expect(await page.$eval('main', (element) => element.textContent)).toContain('Analytical Engines');
    await expectAccessible();
    await page.type('#name', '   ');
    await page.type('#password', newPassword);
    await press();
    // Wait for the focus, which a browser moves only after the page has loaded.
    await page.waitForFunction('document.activeElement !== document.body');
    const field = await page.evaluate(
      `(() => { const input = document.activeElement; return [input.id, input.getAttribute('aria-invalid'), document.getElementById(input.getAttribute('aria-describedby')).textContent]; })()`,
    );
    expect(field).toEqual(['name', 'true', 'Error: Enter your name.']);
    await expectAccessible();
    await page.$eval('#name', (input) => ((input as HTMLInputElement).value = ''));
    await page.type('#name', '<b>Grace</b>');
    await page.type('#password', newPassword);
    await press();
    expect(await heading()).toBe('Welcome');
    expect(await login(email, newPassword)).toBe(200);
  });

  it('the page shows a typed password on request', async () => {
    await page.goto(await resetLink(account));
    await page.type('#password', newPassword);
    const type = () => page.$eval('#password', (input) => (input as HTMLInputElement).type);
    const seen = [await type()];
    await page.click('.show');
    seen.push(await type());
    expect(seen).toEqual(['password', 'text']);
    await expectAccessible();
    expect(watched.said).toEqual([]);
  });
});
