import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'puppeteer-core';
import { chromiumPath, openBrowser, watchedPage, type WatchedPage } from '../support/chromium.js';
import { RunningService, type Account } from '../support/running-service.js';

const home = 'http://passes.localhost';
const executable = chromiumPath();
const inChromium = executable === null ? describe.skip : describe;

inChromium('Swagger UI', () => {
  let service: RunningService;
  let account: Account;
  let browser: Browser;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    service = await RunningService.start({ BASE_URL: home });
    account = await service.register();
    browser = await openBrowser(executable as string, service);
    watched = await watchedPage(browser);
    page = watched.page;
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await page.goto(`${home}/docs`);
    await page.waitForSelector('.opblock-tag');
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  /** Returns the focused element, whether it is visible, and its position among all clickable ones. */
  const focused = () =>
    page.evaluate(() => {
      const it = document.activeElement as HTMLElement;
      const { outlineStyle, outlineWidth } = getComputedStyle(it);
      return {
        place: it === document.body ? -1 : clickable().indexOf(it),
        name: it.getAttribute('aria-label') ?? it.textContent,
        isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
      };
      function clickable() {
        return [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]')];
      }
    });

  /** Reloads the page, opens an operation, and waits until it is drawn. */
  async function open(operation: string): Promise<void> {
    await page.goto(`${home}/docs#/${operation}`);
    await page.reload();
    await page.waitForSelector('.opblock.is-open .request-sample pre');
  }

  /** Presses a button without scrolling, which would interfere with the page's own scrolling to its operation. */
  async function press(button: string): Promise<void> {
    const found = await page.waitForSelector(button);
    await found?.evaluate((element) => (element as HTMLElement).click());
  }

  it('the page is dark for readers who prefer it, and lists the groups in the order of their use, collapsed', async () => {
    const { groups, operations, background } = await page.evaluate(() => ({
      groups: [...document.querySelectorAll('.opblock-tag')].map((tag) => tag.getAttribute('data-tag')),
      operations: document.querySelectorAll('.opblock').length,
      background: getComputedStyle(document.documentElement).backgroundColor,
    }));
    expect(groups.slice(0, 5)).toEqual(['auth', 'templates', 'passes', 'memberships', 'messages']);
    expect(groups).not.toContain('mcp');
    expect(operations).toBe(0);
    expect(background).toMatch(/^rgb\((\d|[1-5]\d), /);
  });

  it('the search finds operations by words of their summary, id or path, and shows every operation once', async () => {
    expect(await page.$eval('.operation-filter-input', (input) => input.getAttribute('placeholder'))).toMatch(
      /^Search/,
    );
    await page.type('.operation-filter-input', 'passes void');
    await page.waitForFunction(() => document.querySelectorAll('.opblock').length === 2);
    const found = await page.$$eval('.opblock', (blocks) => blocks.map((block) => block.id));
    expect(found).toEqual(['operations-passes-voidPass', 'operations-passes-unvoidPass']);
    await page.$eval('.operation-filter-input', (input) => (input as HTMLInputElement).select());
    await page.type('.operation-filter-input', '/');
    const { body } = await service.request('GET', '/openapi.json');
    const count = Object.values(body.paths as object).flatMap((path) => Object.keys(path as object)).length;
    await page.waitForFunction((all) => document.querySelectorAll('.opblock').length === all, {}, count);
    await page.$eval('.operation-filter-input', (input) => (input as HTMLInputElement).select());
    await page.keyboard.press('Backspace');
    await page.waitForFunction(() => document.querySelectorAll('.opblock').length === 0);
  });

  it('Enter opens an operation, and Tab visibly reaches everything in it', async () => {
    await page.type('.operation-filter-input', 'privacy');
    await page.waitForFunction(() => document.querySelectorAll('.opblock').length === 2);
    await page.keyboard.press('Tab');
    while (!/holder/i.test((await focused()).name ?? '')) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.opblock.is-open .request-sample pre');
    const places = new Set<number>();
    for (let presses = 0; presses < 100; presses++) {
      await page.keyboard.press('Tab');
      const { place, name, isSeen } = await focused();
      if (place < 0) break;
      expect({ name, isSeen }).toEqual({ name, isSeen: true });
      places.add(place);
    }
    const missed = await page.evaluate(
      (reached) =>
        [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]')]
          .filter((element, place) => !reached.includes(place) && element.closest('.opblock.is-open'))
          .filter((element) => element.offsetParent !== null && !(element as HTMLButtonElement).disabled)
          .map((element) => element.outerHTML.slice(0, 150)),
      [...places],
    );
    // The walk began at the operation's header, whose arrow does the same.
    expect(missed.filter((html) => !/opblock-(summary-control|control-arrow)/.test(html))).toEqual([]);
  }, 60_000);

  it('an operation shows working request samples for curl and Node before anything is sent', async () => {
    await open('auth/register');
    const sample = '.opblock.is-open .request-sample';
    const texts: string[] = [];
    for (const language of ['curl', 'Node.js']) {
      await press(`${sample} button::-p-text(${language})`);
      await page.waitForSelector(`${sample} pre[aria-label="Request with ${language}"]`);
      texts.push(await page.$eval(`${sample} pre`, (element) => element.textContent ?? ''));
    }
    const [curl, node] = texts.map((text, index) =>
      text.replaceAll(home, service.baseUrl).replace(/"email": "/, `"email": "sample${index}-`),
    ) as [string, string];
    expect(await run('bash', ['-c', `${curl} -s`])).toContain('"accessToken"');
    expect(await run(process.execPath, ['--input-type=module', '-e', node])).toMatch(/^201 .*"accessToken"/);
  }, 60_000);

  it('an operation shows NDJSON bodies as lines, in the input field and in the response', async () => {
    await open('passes/createPasses');
    const first = '{"id":"seat-1","code":"A-1"}\n{"id":"seat-2"';
    const sent = await page.$eval('.opblock.is-open textarea', (element) => element.value);
    expect(sent.slice(0, first.length)).toBe(first);
    const response = await page.$eval('.opblock.is-open .responses-table pre', (element) => element.textContent ?? '');
    expect(response.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^{"index":0/),
      expect.stringMatching(/^{"index":1/),
    ]);
  }, 60_000);

  it('the page keeps the token after a reload, and sends it', async () => {
    await open('accounts/getAccount');
    await press('.auth-wrapper .authorize');
    await page.waitForSelector('.auth-container input');
    // The first of the two credentials has the focus.
    expect((await focused()).name).toBe('auth-bearer-value');
    await page.keyboard.sendCharacter(account.token);
    await page.type('#api_key_value', 'ab');
    expect(await page.$eval('#api_key_value', (element) => (element as HTMLInputElement).value)).toBe('ab');
    await press('.auth-container .authorize');
    await press('.auth-container .btn-done');
    await open('accounts/getAccount');
    await press('.opblock.is-open .execute');
    const status = await page.waitForSelector('.live-responses-table tbody .response-col_status');
    expect(await status?.evaluate((element) => element.textContent)).toMatch(/^200/);
  }, 60_000);

  it('the page logs nothing to the console, and contacts no other host', () => {
    expect(watched.said).toEqual([]);
    expect([...watched.origins]).toEqual([home]);
  });
});

async function run(program: string, words: string[]): Promise<string> {
  const env = { ...process.env, FORCE_COLOR: '0' };
  return (await promisify(execFile)(program, words, { timeout: 20_000, env })).stdout;
}
