import type { Browser, Page } from 'puppeteer-core';
import sharp from 'sharp';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import type { RunningService, Account } from '../support/running-service.js';
import { origin, sampleImages, startWithWorkbench, workbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();

let service: RunningService;
let account: Account;

beforeAll(async () => {
  service = await startWithWorkbench();
  account = await service.register();
}, 60_000);
afterAll(() => service.stop());

/** Saves a template with the sample images of this service. */
async function saved(type: 'membership' | 'offer', id: string): Promise<void> {
  const { status } = await account.saveTemplate(type, id, sampleImages);
  expect(status).toBe(200);
}

describe('the files of the workbench', () => {
  const page = (path = '/workbench') => service.request('GET', path);
  const filesIn = (html: string) =>
    [...html.matchAll(/(?:src|href)="\.\/workbench\/((?!\.\.)[^"]+)"/g)].map(([, name]) => name ?? '');

  it('the page has a strict policy, no inline scripts or styles, and no data', async () => {
    const { status, headers, bytes } = await page();
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('cache-control')).toBe('public, no-cache');
    expect(bytes.toString()).not.toMatch(/<script(?! type="module" src=)|<style|\sstyle=/);
  });

  it('caches keep the script and the style sheet for a year, and the service sends both compressed', async () => {
    const names = filesIn((await page()).bytes.toString());
    expect(names).toEqual([
      expect.stringMatching(/^style-\w{8}\.css$/),
      expect.stringMatching(/^workbench-\w{8}\.js$/),
    ]);
    for (const name of names) {
      const { status, headers } = await page(`/workbench/${name}`);
      expect([status, headers.get('cache-control'), headers.get('content-encoding'), headers.get('vary')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        'gzip',
        expect.stringContaining('Accept-Encoding'),
      ]);
      const plain = await service.request('GET', `/workbench/${name}`, { headers: { 'Accept-Encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      expect(plain.bytes.length).toBeGreaterThan(1000);
    }
  });

  it("404 route_not_found for names that are not files in the workbench's folder", async () => {
    for (const name of ['nothing.js', 'files.json', '..%2fpackage.json', 'style.css.map']) {
      const { status, body } = await page(`/workbench/${name}`);
      expect([status, body?.code]).toEqual([404, 'route_not_found']);
    }
  });

  it('the licences of the packages in the script are in a file beside the script', async () => {
    const { bytes } = await page('/workbench/licences.txt');
    expect(bytes.toString()).toMatch(/^preact\n[^]*MIT License[^]*\nfflate\n[^]*MIT License/);
  });
});

(chromium ? describe : describe.skip)('the workbench in a browser', () => {
  let browser: Browser;
  let page: Page;
  let person: WorkbenchPage;

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '', service);
  }, 60_000);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    person = await WorkbenchPage.open(browser);
    page = person.page;
  });
  afterEach(async () => {
    await person.close();
    expect([...person.watched.origins]).toEqual([origin]);
  });

  const heading = (text: string) => person.heading(text);
  const press = (selector: string) => person.press(selector);
  const fill = (label: string, text: string) => person.fill(label, text);
  const signIn = (at?: string) => person.signIn(account, at);
  const expectAccessible = (name: string) => person.expectAccessible(name);

  it('a person signs in, makes a template, issues a pass and sees its link', async () => {
    await signIn();
    await press('a::-p-text(New template)');
    await press('button::-p-text(Membership)');
    await page.waitForSelector('.pictures img');
    await fill('Title', 'Reading circle');
    await fill('Value', '7');
    await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('"title": "Reading circle"'));
    await expectAccessible('editor');
    await press('button::-p-text(Save …)');
    await expectAccessible('save');
    await press('dialog button[type=submit]');
    await page.waitForFunction(() => location.hash === '#/templates/reading-circle');
    await page.waitForSelector('dialog', { hidden: true });
    await press('.heading a::-p-text(Passes)');
    await press('.heading button::-p-text(Issue a pass)');
    await fill('Member', 'Grace Hopper');
    await page.waitForSelector('.pictures img');
    await expectAccessible('issue');
    await press('button::-p-text(Issue the pass)');
    await heading('Grace Hopper');
    const link = await page.waitForSelector('.link-row a');
    const address = (await link?.evaluate((element) => element.getAttribute('href'))) ?? '';
    expect((await service.request('GET', address, { headers: { Accept: 'text/html' } })).bytes.toString()).toContain(
      'Grace Hopper',
    );
    await page.waitForSelector('.pictures img');
    await expectAccessible('pass');
  }, 120_000);

  it('the form shows a mistake at its field: the lint during typing, and the API after saving', async () => {
    await signIn('#/templates/+');
    await press('button::-p-text(Offer)');
    await fill('Background colour', 'x');
    const said = await page.waitForSelector('[aria-invalid=true] ~ .wrong, .field:has([aria-invalid=true]) .wrong');
    expect(await said?.evaluate((element) => element.textContent)).toContain('no colour');
    await page.goto(`${workbench}#/webhooks`);
    await press('button::-p-text(New webhook)');
    await fill('Address', 'ftp://example.com');
    await page.keyboard.press('Enter');
    const wrong = await page.waitForSelector('.field .wrong');
    expect(await wrong?.evaluate((element) => element.textContent)).toContain('url');
  }, 60_000);

  it('a user changes, voids, un-voids and redeems a pass', async () => {
    await saved('membership', 'club');
    const { body } = await account.post('/v1/pass/club', { primaryValue: 'Alan Turing', code: 'A-1' });
    await signIn('#/passes/club');
    await fill('Find a pass', 'A-1');
    await page.keyboard.press('Enter');
    await heading('Alan Turing');
    await fill('Code', 'A-2');
    await page.waitForSelector('.changes ins::-p-text(A-2)');
    await press('button::-p-text(Save the changes)');
    await page.waitForSelector('.notice::-p-text(Saved.)');
    for (const [button, word] of [
      ['Void', 'void'],
      ['Un-void', 'valid'],
      ['Redeem', 'redeemed'],
    ]) {
      await press(`.heading button::-p-text(${button})`);
      await press('dialog button[type=submit]');
      await page.waitForSelector(`.heading .badge::-p-text(${word})`);
    }
    const { pass } = (await account.get(`/v1/pass/club/${body.pass.id}`)).body;
    expect(pass).toMatchObject({ code: 'A-2', voided: false, redeemedAt: expect.any(String) });
    await press('button::-p-text(Delivery)');
    await page.waitForSelector('section[aria-label=Delivery]');
    await expectAccessible('delivery');
  }, 120_000);

  it('a new key is shown once, and a key with only read scopes cannot write', async () => {
    await saved('offer', 'summer');
    await signIn('#/keys');
    await press('button::-p-text(New key)');
    await fill('Name', 'Reader');
    for (const scope of ['templates:write', 'passes:write', 'members:write']) {
      await (await page.waitForSelector(`::-p-aria(${scope})`))?.focus();
      await page.keyboard.press('Space');
    }
    await press('button::-p-text(Create the key)');
    const secret = await page.waitForSelector('.secret code');
    const key = (await secret?.evaluate((element) => element.textContent)) ?? '';
    expect(key).toMatch(/^pw_live_/);
    await expectAccessible('keys');
    await press('button::-p-text(Sign out)');
    await press('button::-p-text(API key)');
    await page.type('input[type=password]', key);
    await page.keyboard.press('Enter');
    await page.waitForSelector('nav');
    await page.evaluate(() => (location.hash = '#/templates/summer'));
    await page.waitForSelector('.pictures img');
    await press('button::-p-text(Save …)');
    await press('dialog button[type=submit]');
    const rejection = await page.waitForSelector('dialog [role=alert]');
    expect(await rejection?.evaluate((element) => element.textContent)).toContain('forbidden');
  }, 120_000);

  /** Sets the time of a dialog by script, because the input's form depends on the browser's language. */
  const setEnd = (time: string) =>
    page.$eval(
      'dialog input[type=datetime-local]',
      (input, value) => {
        input.value = value;
        input.dispatchEvent(new Event('input', { bubbles: true }));
      },
      time,
    );

  it('a person with an API key sets up memberships, creates a member, renews and suspends them', async () => {
    await saved('membership', 'members');
    const token = await account.apiKey('members:read', 'members:write');
    await signIn('#/members');
    await fill('API key', token);
    await page.keyboard.press('Enter');
    await press('button::-p-text(Settings)');
    await page.waitForSelector('form select');
    await page.select('form select', 'members');
    await fill('Reminders', 'soon');
    await page.waitForSelector('.wrong::-p-text(numbers of days)');
    await fill('Reminders', '7, 30');
    await expectAccessible('member-settings');
    await press('button::-p-text(Save the settings)');
    await page.waitForSelector('form', { hidden: true });
    expect((await service.request('GET', '/v1/memberships/settings', { token })).body).toMatchObject({
      templateId: 'members',
      reminders: [{ daysBefore: 30 }, { daysBefore: 7 }],
    });
    await press('button::-p-text(New member)');
    await fill('Name', 'Mary Somerville');
    await press('button::-p-text(Create the member)');
    const wrong = await page.waitForSelector('.field .wrong');
    expect(await wrong?.evaluate((element) => element.textContent)).toContain('email');
    await fill('E-mail', 'mary@example.com');
    await press('button::-p-text(Create the member)');
    await page.waitForSelector('.list .badge::-p-text(active)');
    await press('.list button::-p-text(Change)');
    await fill('Name', 'Mary Fairfax');
    await setEnd('2040-06-15T12:00');
    await expectAccessible('member-change');
    await press('dialog button[type=submit]');
    await page.waitForFunction(() => document.querySelector('.list a')?.textContent === 'Mary Fairfax');
    await press('.list button::-p-text(Renew)');
    await setEnd('2041-06-15T12:00');
    await expectAccessible('member-renewal');
    await press('dialog button[type=submit]');
    await page.waitForFunction(() => document.querySelector('.list')?.textContent.includes('2041'));
    await press('.list button::-p-text(Suspend)');
    await press('dialog button[type=submit]');
    await page.waitForSelector('.list .badge::-p-text(suspended)');
    await expectAccessible('member-list');
  }, 120_000);

  it.each([
    'templates',
    'passes',
    'messages',
    'members',
    'holders',
    'people',
    'keys',
    'plans',
    'certificates',
    'webhooks',
    'audit',
    'usage',
    'account',
    'you',
  ])(
    'the screen %s is accessible on phone and desktop, in light and dark mode',
    async (section) => {
      await signIn(`#/${section}`);
      await page.waitForFunction(() => !document.querySelector('.loading'));
      await expectAccessible(section);
    },
    60_000,
  );

  it('the sign-in is accessible, and a wrong password is rejected with a message', async () => {
    await page.goto(workbench);
    await page.waitForFunction(() => document.activeElement?.matches('input[type=email]'));
    await fill('E-mail', account.email);
    await fill('Password', 'not the password');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=alert]');
    await page.setViewport({ width: 1280, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
    await expectAccessible('sign-in');
  }, 60_000);

  it('Tab visibly reaches every control of the templates, and the keyboard alone opens another section', async () => {
    await signIn();
    await page.waitForFunction(() => !document.querySelector('.loading'));
    const missed = new Set(
      await page.$$eval('a[href], button:not(:disabled), input, select:not(:disabled), summary', (all) =>
        all.filter((each) => each.checkVisibility()).map((each, at) => ((each as HTMLElement).dataset.at = String(at))),
      ),
    );
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    for (let presses = missed.size + 3; presses > 0; presses--) {
      await page.keyboard.press('Tab');
      const { at, isSeen } = await page.evaluate(() => {
        const it = document.activeElement as HTMLElement;
        const styles = [getComputedStyle(it), getComputedStyle(it, '::after')];
        return { at: it.dataset.at ?? '', isSeen: styles.some(({ outlineStyle }) => outlineStyle !== 'none') };
      });
      if (at !== '') expect([at, isSeen]).toEqual([at, true]);
      missed.delete(at);
    }
    expect([...missed]).toEqual([]);
    await page.focus('nav a::-p-text(Usage)');
    await page.keyboard.press('Enter');
    await heading('Usage');
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  }, 60_000);

  it('an address without a screen shows that there is no such screen, and leads to the templates', async () => {
    await signIn('#/no-such-screen/x');
    await heading('Not found');
    expect(await person.textOf('.empty')).toContain('#/no-such-screen/x');
    expect(await page.title()).toBe('Not found · Passwright');
    expect(await page.$('nav [aria-current]')).toBeNull();
    await expectAccessible('not-found');
    await press('main a::-p-text(Open the templates)');
    await heading('Templates');
  }, 60_000);

  it('a reload keeps the session, and no storage contains a token while the page is open', async () => {
    await signIn();
    const stored = () => page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
    expect(await stored()).toEqual([0, 0, '']);
    await page.reload();
    await heading('Templates');
    expect(await stored()).toEqual([0, 0, '']);
    await press('button::-p-text(Sign out)');
    await page.waitForSelector('.sign-in');
    await page.reload();
    await page.waitForSelector('.sign-in');
  }, 60_000);

  it('each request can be copied as curl and as code, with a placeholder for the credential', async () => {
    await browser.defaultBrowserContext().overridePermissions(origin, ['clipboard-read', 'clipboard-sanitized-write']);
    await signIn();
    await press('.requests summary');
    const copied = async (form: string) => {
      await press(`.requests li ::-p-aria(Copy as ${form})`);
      await page.waitForSelector('.copy::-p-text(Copied)');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const text = await copied('curl');
    expect(text).toMatch(/^curl 'http:\/\/passes\.localhost\/v1\//);
    expect(text).toContain('Bearer $TOKEN');
    expect(await copied('TypeScript')).toContain('token: process.env.TOKEN');
  }, 60_000);

  it('a dropped image is uploaded, and a file that is not an image is rejected with a message', async () => {
    await signIn('#/templates/+');
    await press('button::-p-text(Offer)');
    await page.waitForSelector('.pictures img');
    const drop = (bytes: number[]) =>
      page.$eval(
        '.image:nth-of-type(3)',
        (target, content) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([Uint8Array.from(content)], 'banner.png', { type: 'image/png' }));
          target.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
        },
        bytes,
      );
    await drop([1, 2, 3]);
    const wrong = await page.waitForSelector('.image:nth-of-type(3) .wrong');
    expect(await wrong?.evaluate((element) => element.textContent)).toContain('image');
    const banner = await sharp({ create: { width: 1125, height: 432, channels: 3, background: '#12ef34' } })
      .png()
      .toBuffer();
    await drop([...banner]);
    await page.waitForFunction(
      (id) => document.querySelector('textarea')?.value.includes(`/images/${id}/`),
      {},
      account.id,
    );
    expect(await page.$eval('.image:nth-of-type(3) img', (image) => image.getAttribute('src'))).toContain(account.id);
  }, 60_000);

  it('a person with two accounts chooses the one to work in', async () => {
    const { body } = await account.post('/v1/auth/accounts', { name: 'Difference Engines' });
    await signIn();
    await page.waitForSelector('#account');
    await page.select('#account', body.accountId as string);
    await page.waitForSelector('nav');
    await page.waitForFunction(
      (id) => document.querySelector<HTMLSelectElement>('#account')?.value === id,
      {},
      body.accountId,
    );
    await page.waitForSelector('.empty::-p-text(No templates yet)');
    await page.select('#account', account.id);
    await page.waitForSelector('.card');
  }, 60_000);

  it('a sign-in that another page began is rejected, and its code is not used', async () => {
    await page.goto(`${workbench}?attempt=7#code=stranger`);
    await page.waitForSelector('.notice::-p-text(This sign-in did not start in this tab.)');
    expect(page.url()).toBe(workbench);
    await page.evaluate(() => sessionStorage.setItem('passwright-attempt', '8'));
    await page.goto(`${workbench}?attempt=8#code=expired`);
    await page.waitForSelector('.notice::-p-text(The sign-in took too long.)');
    await page.goto(`${workbench}?attempt=9#error=forbidden&message=Ask%20an%20admin.`);
    await page.waitForSelector('.notice::-p-text(did not start in this tab)');
  }, 60_000);
});
