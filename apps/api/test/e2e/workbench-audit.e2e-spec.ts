import type { Browser } from 'puppeteer-core';
import { chromiumPath, openBrowser } from '../support/chromium.js';
import type { RunningService, Account } from '../support/running-service.js';
import { sampleImages, startWithWorkbench, workbench, WorkbenchPage } from '../support/workbench-page.js';

const chromium = chromiumPath();

let service: RunningService;
let account: Account;
let browser: Browser;
let person: WorkbenchPage;

(chromium ? describe : describe.skip)('the audit trail in the workbench', () => {
  beforeAll(async () => {
    service = await startWithWorkbench();
    browser = await openBrowser(chromium ?? '', service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    account = await service.register();
    person = await WorkbenchPage.open(browser);
  });
  afterEach(() => person.close());

  async function saved(title: string): Promise<void> {
    expect((await account.saveTemplate('membership', 'club', { ...sampleImages, title })).status).toBe(200);
  }
  /** Waits until the list has these events, the newest first. */
  const expectEvents = (...expected: string[]) =>
    person.page.waitForFunction(
      (texts) => {
        const all = [...document.querySelectorAll('.event-list summary span:nth-of-type(1)')].map(
          (each) => each.textContent,
        );
        return !document.querySelector('.loading') && JSON.stringify(all) === JSON.stringify(texts);
      },
      {},
      expected,
    );

  it('an admin sees who changed a template and how, and filters by target and by actor', async () => {
    await saved('Club');
    await saved('Gold club');
    const key = await account.apiKey();
    await person.signIn(account, '#/audit');
    await person.page.waitForSelector('.event-list strong::-p-text(Template changed)');
    await person.page.$$eval('.event-list summary', (all) =>
      all.find(({ textContent }) => textContent.includes('Template changed'))?.focus(),
    );
    await person.page.keyboard.press('Enter');
    expect(await person.textOf('.event-list details[open] .changes')).toContain('titleClubGold club');
    const heights = await person.page.$$eval('.event-list details[open] button', (all) =>
      all.map((each) => each.getBoundingClientRect().height),
    );
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
    await person.expectAccessible('audit-details');
    await person.press('.event-list details[open] ::-p-aria(Only these: template:club)');
    await expectEvents('Template changed club', 'Template created club');
    expect(await person.textOf('.event-list details a')).toBe('template:club');
    await person.press('button::-p-text(Remove all filters)');
    await person.fill('Action', 'key.created');
    const [keyId = ''] = await person.page.$$eval('.event-list summary code', (all) =>
      all.map((each) => each.textContent),
    );
    await person.page.waitForFunction(() => document.querySelectorAll('.event-list li').length === 1);
    expect(key).toMatch(/^pw_live_/);
    expect(keyId).not.toContain('pw_live_');
    await person.press('button::-p-text(Remove all filters)');
    await person.page.select('.filters select', 'system');
    await person.page.waitForSelector('.empty::-p-text(No event matches the filters.)');
  }, 120_000);

  it('a long trail is read page by page', async () => {
    await saved('Club');
    await account.post('/v1/pass/club/ada', { primaryValue: 'Ada' });
    for (let turn = 0; turn < 30; turn += 1)
      for (const step of ['void', 'unvoid']) await account.post(`/v1/pass/club/ada/${step}`);
    await person.signIn(account, '#/audit/pass');
    const rows = (count: number) =>
      person.page.waitForFunction((all) => document.querySelectorAll('.event-list li').length === all, {}, count);
    await rows(50);
    await person.press('button::-p-text(Show more)');
    await rows(60);
    await person.expectAccessible('audit');
  }, 120_000);

  it('a person whose key must not read the audit trail sees the reason', async () => {
    const key = await account.apiKey('templates:read');
    await person.page.goto(`${workbench}#/audit`);
    await person.press('button::-p-text(API key)');
    await person.page.type('input[type=password]', key);
    await person.page.keyboard.press('Enter');
    expect(await person.textOf('main [role=alert]')).toContain('account:write');
    await person.expectAccessible('audit-forbidden');
  }, 60_000);
});
